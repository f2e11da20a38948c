"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const charts = []; // functions that draw a chart for a width, called again when the width changes
const PRINT_WIDTH = 680;
let clips = 0;
const EVENTS_LISTED = 60;

// --- elements and words -----------------------------------------------------------------------

function el(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

/** A sign of the legend and its words, never parted by a line break. */
function key(className, words) {
  return el("span", "entry", el("span", "key " + className), words);
}

const known = value => typeof value === "number" && Number.isFinite(value);
const minus = text => text.replace("-", "\u2212");
const count = n => d3.format(",")(n);
const when = text => text ? text.replace("T", " ").replace(/\.\d+/, "").replace(/(\d\d:\d\d):00Z$/, "$1").replace("Z", "") : "-";
const percent = value => minus(d3.format(".3~p")(value)).replace("%", "\u00a0%");
const probability = value => value > 0.999 ? "over 99.9\u00a0%" : percent(value);

function plain(value, kind) {
  if (!known(value)) return "-";
  if (kind === "ratio") return percent(value);
  const digits = minus(value !== 0 && Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6 ? d3.format(".3~e")(value) : String(Number(value.toPrecision(4))));
  return kind === "duration" ? digits + " s" : digits;
}

const signed = (value, kind) => known(value) ? (value > 0 ? "+" : "") + plain(value, kind) : "-";
const between = (limits, kind) => limits ? `${plain(limits[0], kind)} to ${plain(limits[1], kind)}` : null;

function withInterval(value, limits, kind, sign) {
  const text = sign ? signed(value, kind) : plain(value, kind);
  return limits ? `${text} (${between(limits, kind)})` : text;
}

function name(id) {
  if (id === "*") return "all";
  return DATA.names[id] || id;
}

function timelineOf(finding) {
  return DATA.timelines.find(one => ["deployment", "model_id", "config_id", "metric"].every(field => one[field] === finding[field]));
}

const kindOf = entry => entry.kind;
const cause = finding => (finding.verdict && finding.verdict.cause || "not known").replace("_", " ");

/** What the quantile of a tail was and is, over all requests, where the finding says it. */
function quantiles(effect, finding, kind) {
  const before = finding.baseline && finding.baseline.p99, now = finding.current && finding.current.p99;
  return effect.beyond === "p99" && known(before) && known(now) ? ` (${plain(before, kind)} then, ${plain(now, kind)} now)` : "";
}

/** What the numbers inside a verdict count: the sentence of a cause has no room for units. */
function verdictUnit(finding, kind) {
  const unit = finding.effect && finding.effect.unit;
  if (unit === "relative") return "Numbers of the cause are natural logarithms of the duration: +0.1 is about 10\u00a0% longer.";
  if (unit === "ratio") return "Numbers of the cause are shares of the requests: +0.01 is one in a hundred more that failed.";
  if (unit === "share of requests") return `Numbers of the cause are shares of the requests beyond what was ${finding.effect.beyond}: +0.01 is one in a hundred more beyond it.`;
  return kind === "score" ? "Numbers of the cause are in the unit of the score." : "";
}

function effectText(effect, kind, finding) {
  if (!effect || !known(effect.value)) return "size not known";
  const unit = effect.unit === "score" ? kind : effect.unit === "relative" || effect.unit === "ratio" || effect.unit === "share of requests" ? "ratio" : "";
  let text = withInterval(effect.value, effect.interval, unit, true);
  if (effect.unit === "share of requests") text += ` of the requests beyond what was ${effect.beyond}${quantiles(effect, finding, kind)}`;
  if (effect.unit === "relative") text += " of the baseline";
  return `${text}, n=${count(effect.n || 0)}`;
}

function table(head, rows) {
  const cell = (tag, column, content) => {
    const node = el(tag, column.number ? "number" : column.wide ? "wide" : "");
    node.append(...(Array.isArray(content) ? content : [content === null || content === undefined ? "-" : content]));
    return node;
  };
  return el("div", "scroll", el("table", "",
    el("thead", "", el("tr", "", ...head.map(column => cell("th", column, column.title)))),
    el("tbody", "", ...rows.map(row => el("tr", "", ...row.map((content, i) => cell("td", head[i], content)))))));
}

// --- charts -----------------------------------------------------------------------------------

function figure(caption, draw) {
  const holder = el("div", "chart");
  charts.push(width => {
    holder.replaceChildren();
    draw(d3.select(holder), width || holder.clientWidth);
  });
  return el("figure", "", el("figcaption", "small soft", ...caption), holder);
}

function drawAll(width) {
  charts.forEach(draw => draw(width));
}

function svg(holder, width, height, label) {
  return holder.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", label);
}

/** Runs of points that have a value, so that a line does not cross what is not known. */
function linePath(x, y, defined, curve) {
  return d3.line().defined(defined).x(x).y(y).curve(curve || d3.curveLinear);
}

function utcTicks(x, width) {
  const midnight = at => at.getUTCHours() === 0 && at.getUTCMinutes() === 0 && at.getUTCSeconds() === 0;
  const day = d3.utcFormat("%b %-d"), minute = d3.utcFormat("%H:%M"), second = d3.utcFormat("%H:%M:%S");
  return d3.axisBottom(x).ticks(Math.max(2, Math.floor(width / 110))).tickSizeOuter(0).tickFormat(at => (midnight(at) ? day : at.getUTCSeconds() ? second : minute)(at));
}

/** p99 of durations, mean of everything else, with its interval; events and what a finding marks. */
function timeline(series, marks) {
  const tail = series.kind === "duration";
  const main = tail ? ["p99", "p99_lower", "p99_upper"] : ["mean", "mean_lower", "mean_upper"];
  const points = series.points.map(point => ({
    at: new Date(point.start + series.window_seconds * 500), n: point.n, value: point[main[0]], lower: point[main[1]], upper: point[main[2]], median: point.p50
  }));
  const missing = points.filter(point => !known(point.value));
  const caption = [
    key("line before", (tail ? "p99" : "mean") + " per " + duration(series.window_seconds)),
    key("area before", "95 % interval")];
  if (tail) caption.push(key("dash before", "median"));
  if (missing.length) caption.push(key("dot", `too few requests for a ${tail ? "p99" : "mean"} (${missing.length})`));
  if (marks.events.length) caption.push(key("line mark", "serving event"));
  if (marks.now.length) caption.push(key("area now", "shift"));
  if (marks.reference) caption.push(key("dash", `baseline ${tail ? "p99" : "mean"}`));
  return figure(caption, (holder, width) => {
    const height = 200, left = 62, right = 24, top = 14, bottom = 24;
    const chart = svg(holder, width, height, `${series.metric} over time`);
    const half = series.window_seconds * 500;
    const x = d3.scaleUtc([d3.min(points, p => +p.at) - half, d3.max(points, p => +p.at) + half], [left, width - right]);
    // A window of a handful of requests has an interval that would flatten all others: it may run out of the chart.
    const usual = d3.median(points, p => p.n) / 20;
    const values = points.filter(p => p.n >= usual).flatMap(p => [p.value, p.lower, p.upper, tail ? p.median : null]).concat(marks.reference ? [marks.reference] : []).filter(known);
    let [low, high] = values.length ? d3.extent(values) : [0, 1];
    if (tail || series.kind === "ratio") low = Math.min(low, 0);
    if (low === high) high = low + (Math.abs(low) || 1) * 0.1;
    const pad = (high - low) * 0.06;
    const y = d3.scaleLinear([low === 0 ? 0 : low - pad, high + pad], [height - bottom, top]);
    shade(chart, marks.before, "before", x, top, height - bottom);
    shade(chart, marks.now, "now", x, top, height - bottom);
    chart.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`).call(utcTicks(x, width - left));
    chart.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(5).tickSizeOuter(0).tickFormat(v => plain(v, series.kind)));
    const d = point => x(point.at);
    const clip = "plot-" + ++clips;
    chart.append("clipPath").attr("id", clip).append("rect").attr("x", left).attr("width", width - right - left).attr("y", top).attr("height", height - top - bottom);
    const plot = chart.append("g").attr("clip-path", `url(#${clip})`);
    plot.append("path").attr("class", "band before").attr("d", d3.area().defined(p => known(p.lower) && known(p.upper)).x(d).y0(p => y(p.lower)).y1(p => y(p.upper))(points));
    if (marks.reference) chart.append("path").attr("class", "line reference").attr("d", `M${left},${y(marks.reference)}H${width - right}`);
    if (tail) plot.append("path").attr("class", "line before median").attr("d", linePath(d, p => y(p.median), p => known(p.median))(points));
    plot.append("path").attr("class", "line before").attr("d", linePath(d, p => y(p.value), p => known(p.value))(points));
    plot.append("g").selectAll("circle").data(points.filter((p, i) => known(p.value) && !(known((points[i - 1] || {}).value) || known((points[i + 1] || {}).value))))
      .join("circle").attr("class", "dot").attr("r", 2).attr("cx", d).attr("cy", p => y(p.value));
    chart.append("g").selectAll("circle").data(missing).join("circle").attr("class", "missing").attr("r", 2.5).attr("cx", d).attr("cy", height - bottom - 5);
    eventMarks(chart, marks.events, x, top, height - bottom);
    if (marks.onset && inside(x, marks.onset)) chart.append("path").attr("class", "onset").attr("d", `M${x(marks.onset)},${top}V${height - bottom}`);
    const step = points.length > 1 ? Math.abs(x(points[1].at) - x(points[0].at)) : 10;
    chart.append("g").selectAll("rect").data(points).join("rect").attr("fill", "transparent").attr("x", p => x(p.at) - step / 2).attr("width", step).attr("y", top).attr("height", height - top - bottom)
      .append("title").text(p => `${when(new Date(+p.at - half).toISOString())} UTC\n${main[0]} ${withInterval(p.value, known(p.lower) && known(p.upper) ? [p.lower, p.upper] : null, series.kind)}\nn=${count(p.n)}`);
  });
}

const inside = (x, at) => at >= x.domain()[0] && at <= x.domain()[1];

function shade(chart, ranges, className, x, top, bottom) {
  const [first, last] = x.domain();
  for (const [from, to] of united(ranges)) {
    const start = Math.max(+from, +first), end = Math.min(+to, +last);
    if (end > start) chart.append("rect").attr("class", "shade " + className).attr("x", x(start)).attr("width", Math.max(2, x(end) - x(start))).attr("y", top).attr("height", bottom - top);
  }
}

/** Ranges that overlap become one, so that none is shaded twice. */
function united(ranges) {
  const all = [];
  for (const [from, to] of d3.sort(ranges, range => +range[0])) {
    const last = all[all.length - 1];
    if (last && from <= last[1]) last[1] = new Date(Math.max(+last[1], +to));
    else all.push([from, to]);
  }
  return all;
}

function eventMarks(chart, events, x, top, bottom) {
  const drawn = chart.append("g").selectAll("g").data(events.filter(event => inside(x, new Date(event.at)))).join("g");
  drawn.append("path").attr("class", "event").attr("d", event => `M${x(new Date(event.at))},${top}V${bottom}`);
  drawn.append("path").attr("class", "eventhead").attr("d", event => `M${x(new Date(event.at)) - 5},${top - 9}h10l-5,9z`);
  drawn.append("title").text(event => `${event.kind} ${when(event.at)} UTC`);
}

function duration(seconds) {
  if (!known(seconds)) return "window";
  if (seconds % 86400 === 0) return seconds / 86400 + " d";
  if (seconds % 3600 === 0) return seconds / 3600 + " h";
  return seconds % 60 === 0 ? seconds / 60 + " min" : seconds + " s";
}

/** Which cause added how much, one below the other, up to the whole difference. */
function waterfall(split, unit) {
  const least = Math.abs(split.total) * 0.005;
  const large = split.parts.filter(part => known(part.value) && Math.abs(part.value) >= least);
  const rest = split.total - d3.sum(large, part => part.value);
  const rows = large.map(part => ({label: part.cause.replace("_", " "), value: part.value, interval: part.interval, share: part.share, className: "now"}));
  if (Math.abs(rest) >= least) rows.push({label: "everything else", value: rest, className: "rest"});
  let sum = 0;
  rows.forEach(row => { row.start = sum; sum += row.value; });
  rows.push({label: "whole difference", value: split.total, interval: split.interval, start: 0, className: "before"});
  const ends = rows.flatMap(row => [row.start, row.start + row.value, ...(row.interval || []).map(limit => row.start + limit)]);
  const domain = d3.extent([0, ...ends]);
  const grid = el("div", "falls small");
  for (const row of rows) {
    const track = el("div", "track");
    charts.push(width => {
      track.replaceChildren();
      const x = d3.scaleLinear(domain, [2, 298]);
      const chart = d3.select(track).append("svg").attr("viewBox", "0 0 300 18").attr("preserveAspectRatio", "none").attr("aria-hidden", "true");
      chart.append("path").attr("class", "zero").attr("d", `M${x(0)},0V18`);
      chart.append("rect").attr("class", "bar " + row.className).attr("y", 3).attr("height", 12).attr("x", Math.min(x(row.start), x(row.start + row.value))).attr("width", Math.max(1, Math.abs(x(row.start + row.value) - x(row.start))));
      if (row.interval) chart.append("path").attr("class", "whisker").attr("d", `M${x(row.start + row.interval[0])},9H${x(row.start + row.interval[1])}`);
    });
    const share = known(row.share) ? `, ${percent(row.share)} of the shift` : "";
    grid.append(el("div", "fall", el("div", "label", row.label), track, el("div", "amount", withInterval(row.value, row.interval, unit, true) + share)));
  }
  return el("figure", "", el("figcaption", "small soft", "Bars begin where the one above ends; the thin line is the 95 % interval. Like requests are compared; what other traffic explains is in \u201ceverything else\u201d." + (unit === "logarithm" ? " Natural logarithm of the duration: +0.1 is about 10 % longer." : "")), grid);
}

/** Baseline as an area, the shift as a line: told apart without colour. */
function histogram(entry) {
  const bins = entry.distribution, kind = kindOf(entry);
  return figure([key("area before", `baseline, n=${count(entry.baseline_cells.n)}`), key("line now", `shift, n=${count(entry.current_cells.n)}`), el("span", "", "share of requests per bin, the outer bins hold all beyond")], (holder, width) => {
    const height = 190, left = 48, right = 24, top = 8, bottom = 26;
    const chart = svg(holder, width, height, "distribution of baseline and shift");
    // One step per bin: bins of durations widen with the value, so this axis is a logarithmic one.
    const x = d3.scaleLinear([0, bins.length], [left, width - right]);
    const y = d3.scaleLinear([0, d3.max(bins, bin => Math.max(bin.baseline, bin.current)) * 1.05], [height - bottom, top]);
    const steps = bins.concat([bins[bins.length - 1]]);
    const every = Math.ceil(bins.length / Math.max(2, Math.floor((width - left) / 80)));
    const axis = d3.axisBottom(x).tickSizeOuter(0).tickValues(d3.range(0, bins.length, every)).tickFormat(i => plain(Number(bins[i].lower.toPrecision(3)), kind));
    chart.append("g").attr("class", "axis").attr("transform", `translate(0,${height - bottom})`).call(axis);
    chart.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(4).tickSizeOuter(0).tickFormat(percent));
    chart.append("path").attr("class", "histogram").attr("d", d3.area().x((bin, i) => x(i)).y0(y(0)).y1(bin => y(bin.baseline)).curve(d3.curveStepAfter)(steps));
    chart.append("path").attr("class", "line now").attr("d", d3.line().x((bin, i) => x(i)).y(bin => y(bin.current)).curve(d3.curveStepAfter)(steps));
  });
}

const BATCH_ORDER = bucket => { const first = parseInt(bucket, 10); return Number.isNaN(first) ? Infinity : first; };

/** What a cell of the heat map shows: for a tail the share of requests beyond its limit, else the mean. */
function heatMeasure(entry) {
  if (entry.heat_map_of !== "share_beyond") return {kind: kindOf(entry), words: "mean", caption: "Change of the mean in each cell", worse: entry.worse};
  const beyond = entry.finding.effect.beyond, side = parseFloat(beyond.slice(1)) >= 50 ? "above" : "below";
  return {
    kind: "ratio", words: "share", worse: entry.worse === "both" ? "both" : (entry.worse === "up") === (side === "above") ? "up" : "down",
    caption: `Change of the share of requests ${side} ${plain(entry.heat_map_limit, kindOf(entry))} (${beyond} of the baseline, over all requests) in each cell`
  };
}

/** Cache by batch: the change, coloured only where its interval leaves out zero. */
function heatMap(entry) {
  const cells = entry.heat_map, measure = heatMeasure(entry);
  const caches = [...new Set(cells.map(cell => cell.cache))].sort();
  const batches = [...new Set(cells.map(cell => cell.batch))].sort((a, b) => d3.ascending(BATCH_ORDER(a), BATCH_ORDER(b)));
  const largest = d3.max(cells, cell => Math.abs(cell.difference || 0)) || 1;
  const body = batches.map(batch => el("tr", "", el("th", "", batch), ...caches.map(cache => heatCell(cells.find(cell => cell.cache === cache && cell.batch === batch), measure, largest))));
  return el("figure", "",
    el("figcaption", "small soft", measure.caption + " with its 95 % interval, and n now / in the baseline. Coloured where the interval leaves out zero: ", entry.worse === "both" ? "the stronger the larger." : "orange for worse, blue for better."),
    el("table", "heat small", el("thead", "", el("tr", "", el("th", "", "batch"), ...caches.map(cache => el("th", "", "cache " + cache)))), el("tbody", "", ...body)));
}

/** What one side says by itself where the other has too few requests. */
function sides(cell, measure) {
  return [["now", cell.current], ["before", cell.baseline]].filter(([, side]) => side.n >= 30).flatMap(([word, side]) => [`${measure.words} ${word} ${plain(side.mean, measure.kind)}`, el("br")]);
}

function heatCell(cell, measure, largest) {
  const {kind, worse} = measure;
  if (!cell) return el("td", "soft", "no requests");
  const ns = el("span", "soft", `n ${count(cell.current.n)} / ${count(cell.baseline.n)}`);
  if (cell.state !== "sufficient") return el("td", "", el("b", "", "insufficient"), ...sides(cell, measure), ns);
  const clear = cell.interval[0] > 0 || cell.interval[1] < 0;
  const up = cell.difference > 0;
  const node = el("td", clear ? (worse === "both" || (worse === "up") === up ? "worse" : "better") : "", el("b", "", signed(cell.difference, kind)), el("span", "", between(cell.interval, kind)), el("br"), ns);
  if (clear) node.style.setProperty("--strength", 8 + 42 * Math.abs(cell.difference) / largest + "%");
  return node;
}

// --- sections ---------------------------------------------------------------------------------

function header() {
  const deployments = [...new Set(DATA.timelines.map(one => one.deployment))];
  const range = DATA.range.from ? `${when(DATA.range.from)} to ${when(DATA.range.to)} UTC` : "no closed window";
  const nodes = [el("h1", "", "servedrift report"), el("p", "soft", `${deployments.join(", ") || "no deployment"} \u00b7 ${range} \u00b7 made ${when(DATA.made_at)} UTC`)];
  if (DATA.partial) nodes.push(el("p", "partial", "Partial: the run was interrupted. What follows covers only what had been read by then."));
  return nodes;
}

function headline() {
  const number = severity => DATA.findings.filter(one => one.finding.severity === severity).length;
  const words = [["page", "pages"], ["ticket", "tickets"], ["info", "for information"]]
    .map(([severity, many]) => [number(severity), severity === "info" || number(severity) !== 1 ? many : severity])
    .filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return words.length ? words.join(", ") : "No shift was found.";
}

function summary() {
  const nodes = [el("h2", "", "Summary"), el("p", "", headline())];
  if (!DATA.findings.length) nodes.push(el("p", "soft", "That says nothing about series that have no baseline yet, or too few requests for one: look at the hollow marks and the n of the charts below."));
  DATA.findings.forEach((entry, i) => nodes.push(card(entry, i)));
  return nodes;
}

function title(finding) {
  return `${finding.deployment}: ${finding.metric} (${finding.statistic}) ${finding.direction}`;
}

function sureness(finding) {
  const verdict = finding.verdict || {}, parts = [];
  if (known(verdict.confidence)) parts.push(`confidence ${probability(verdict.confidence)}`);
  if (known(verdict.share)) parts.push(`explains ${percent(verdict.share)} of the shift` + (verdict.share_interval ? ` (${between(verdict.share_interval, "ratio")})` : ""));
  return parts.join(", ");
}

function where(finding) {
  const cells = Object.entries(finding.verdict && finding.verdict.where || {});
  return cells.map(([covariate, bucket]) => `${covariate.replace("_", " ")} = ${bucket}`).join(", ");
}

function card(entry, i) {
  const finding = entry.finding, place = where(finding), sure = sureness(finding);
  const link = el("a", "", title(finding));
  link.href = "#finding-" + i;
  return el("div", "card",
    el("h4", "", el("span", "severity " + finding.severity, finding.severity), link),
    el("div", "", el("b", "", `Cause: ${cause(finding)}`), place ? `, where ${place}` : "", sure ? `; ${sure}` : ""),
    el("div", "", "Size: " + effectText(finding.effect, kindOf(entry), finding)),
    strongest(finding, kindOf(entry)),
    el("div", "soft small", `since ${when(finding.onset_at)} UTC, ${finding.state}, configuration ${name(finding.config_id)}`));
}

function overview() {
  const all = DATA.timelines.filter(one => one.config_id === "*" && one.points.length);
  if (!all.length) return [];
  const nodes = [el("h2", "", "Timeline"), el("p", "lead soft small", "All configurations of a deployment together. Times are UTC. A window of a handful of requests may run out of its chart.")];
  for (const series of all) {
    const about = DATA.findings.filter(one => one.finding.deployment === series.deployment && one.finding.metric === series.metric);
    nodes.push(el("h4", "", `${series.deployment}: ${series.metric}`), timeline(series, {
      events: eventsOf(series.deployment), before: [], now: about.map(one => shiftOf(one.finding))
    }));
  }
  nodes.push(...eventTable());
  return nodes;
}

const eventsOf = deployment => DATA.serving_events.filter(event => event.deployment === deployment);

/** From the onset until it closed, or to the end of the run. */
function shiftOf(finding) {
  const end = finding.closed_at || DATA.range.to || finding.detected_at;
  return [new Date(finding.onset_at), new Date(end)];
}

function eventTable() {
  const all = DATA.serving_events;
  if (!all.length) return [el("p", "soft", "No serving event in this time.")];
  const nodes = [el("h3", "", "Serving events"), table(
    [{title: "time (UTC)"}, {title: "kind"}, {title: "deployment", wide: true}, {title: "node"}, {title: "details", wide: true}],
    all.slice(0, EVENTS_LISTED).map(event => [when(event.at), event.kind, event.deployment, event.node || "all", Object.entries(event.attributes || {}).map(([k, v]) => `${k}: ${v}`).join(", ") || "-"]))];
  if (all.length > EVENTS_LISTED) nodes.push(el("p", "soft small", `${all.length - EVENTS_LISTED} more in report.json`));
  return nodes;
}

function findingSection(entry, i) {
  const finding = entry.finding, kind = kindOf(entry), verdict = finding.verdict || {};
  const section = el("section", "finding");
  section.id = "finding-" + i;
  const place = where(finding), sure = sureness(finding);
  section.append(
    el("h2", "", el("span", "severity " + finding.severity, finding.severity), title(finding)),
    el("p", "", el("b", "", `Cause: ${cause(finding)}`), place ? `, where ${place}` : "", sure ? `; ${sure}` : "", verdict.mechanism ? (verdict.mechanism === "exposure" ? "; more requests fall into such cells (exposure)" : "; requests in such cells changed (effect)") : ""),
    verdict.why ? el("p", "", verdict.why) : "",
    verdict.why && verdictUnit(finding, kind) ? el("p", "soft small", verdictUnit(finding, kind)) : "",
    el("p", "", "Size, like for like: " + effectText(finding.effect, kind, finding)),
    strongest(finding, kind),
    el("p", "soft small", `Began ${when(finding.onset_at)}${onsetRange(finding)}, detected ${when(finding.detected_at)} UTC; ${finding.state}${finding.closed_because ? ": " + finding.closed_because : ""}. Model ${name(finding.model_id)}, configuration ${name(finding.config_id)}. Finding ${finding.finding_id}, incident ${finding.incident_id}.`));
  if (finding.muted) section.append(el("p", "", "Muted: " + finding.muted));
  section.append(...numbers(finding, kind), ...chartOf(entry), ...attribution(finding, kind), ...cellsOf(entry), ...events(verdict, finding), ...reasons(verdict), ...exemplars(entry, kind), ...test(finding), history(entry));
  return section;
}

function strongest(finding, kind) {
  const most = finding.effect && finding.effect.strongest;
  return most ? el("p", "", `Strongest evidence in ${most.in}: ` + effectText(most, kind, finding)) : "";
}

function onsetRange(finding) {
  const range = finding.onset_interval;
  return range && range[0] !== range[1] ? ` (${when(range[0])} to ${when(range[1])})` : "";
}

function numbers(finding, kind) {
  const row = (label, side) => side ? [label, `${when(side.from)} to ${when(side.to)}`, count(side.n), withInterval(side.mean, side.mean_interval, kind), plain(side.p50, kind), known(side.p99) ? withInterval(side.p99, side.p99_interval, kind) : kind === "ratio" ? "-" : "insufficient"] : [label, "-", "-", "-", "-", "-"];
  const baseline = finding.baseline || {};
  const nodes = [el("h3", "", "Before and now"), table(
    [{title: ""}, {title: "time (UTC)", wide: true}, {title: "n", number: true}, {title: "mean (95 %)", number: true}, {title: "median", number: true}, {title: "p99 (95 %)", number: true}],
    [row("baseline", finding.baseline), row("now", finding.current)])];
  const kinds = {learned: "the series' own past", predecessor: "what the deployment ran before", pinned: "a pinned range", eval: "an evaluation"};
  nodes.push(el("p", "soft small", `Baseline: ${kinds[baseline.kind] || baseline.kind || "not known"}${baseline.config_id && baseline.config_id !== finding.config_id ? ", configuration " + name(baseline.config_id) : ""}${(finding.changed_axes || []).length ? "; changed: " + finding.changed_axes.join(", ") : ""}. All requests, not like for like.`));
  return nodes;
}

function chartOf(entry) {
  const finding = entry.finding, series = timelineOf(finding);
  if (!series || !series.points.length) return [el("p", "soft", "Timeline: insufficient, no closed window of this series is kept.")];
  const baseline = finding.baseline || {};
  const own = baseline.config_id === finding.config_id && baseline.from;
  return [el("h3", "", "Timeline of this series"), timeline(series, {
    events: eventsOf(finding.deployment), onset: new Date(finding.onset_at), now: [shiftOf(finding)],
    before: own ? [[new Date(baseline.from), new Date(baseline.to)]] : [], reference: series.kind === "duration" ? baseline.p99 : baseline.mean
  }), ...closerView(entry, baseline)];
}

/** The windows around the onset by themselves, finer where the report has finer ones. */
function closerView(entry, baseline) {
  const finding = entry.finding, near = entry.onset_view;
  if (!near || near.points.length < 2) return [];
  return [el("h4", "", "Around the onset"), timeline(near, {
    events: eventsOf(finding.deployment), onset: new Date(finding.onset_at), now: [shiftOf(finding)],
    before: [], reference: near.kind === "duration" ? baseline.p99 : baseline.mean
  })];
}

function attribution(finding, kind) {
  const verdict = finding.verdict || {};
  const split = verdict.decomposition;
  if (!split || !known(split.total)) return [];
  const unit = unitOf(finding, kind);
  const nodes = [el("h3", "", "What explains the difference"), waterfall(split, unit)];
  if (split.by_class && split.by_class.length) nodes.push(el("h4", "", "By traffic class"), table(
    [{title: "class", wide: true}, {title: "n before", number: true}, {title: "n now", number: true}, {title: "adds (95 %)", number: true}, {title: "of it like requests", number: true}],
    split.by_class.map(one => [one.class, count(one.n_reference), count(one.n), withInterval(one.value, one.interval, unit, true), withInterval(one.within, one.within_interval, unit, true)])));
  return nodes;
}

/** A tail or a ratio is split in shares of requests, a duration in logarithms, a score in its unit. */
function unitOf(finding, kind) {
  const unit = finding.effect && finding.effect.unit;
  return unit === "relative" ? "logarithm" : unit === "share of requests" || unit === "ratio" ? "ratio" : kind;
}

function cellsOf(entry) {
  const nodes = [el("h3", "", "Cells")];
  if (entry.cells_state !== "sufficient") {
    nodes.push(el("p", "", `Insufficient: ${entry.cells_because}.`));
    return nodes;
  }
  const kind = kindOf(entry), span = side => `${when(side.from)} to ${when(side.to)} (n=${count(side.n)})`;
  nodes.push(el("p", "soft small", `${entry.heat_map_of === "share_beyond" ? "Plain shares and means" : "Plain means"}, all traffic: baseline ${span(entry.baseline_cells)}, now ${span(entry.current_cells)}. The verdict compares like requests instead.`));
  if (entry.heat_map.length) nodes.push(heatMap(entry));
  if (entry.distribution) nodes.push(el("h4", "", "Distribution"), histogram(entry));
  const clear = cell => cell.interval && (cell.interval[0] > 0 || cell.interval[1] < 0);
  const details = el("details", "", el("summary", "", `Each covariate (${entry.by_covariate.length} buckets)`), table(
    [{title: "covariate"}, {title: "bucket", wide: true}, {title: "n before", number: true}, {title: "n now", number: true}, {title: "mean before", number: true}, {title: "mean now", number: true}, {title: "change (95 %)", number: true}],
    entry.by_covariate.map(cell => [cell.covariate.replace("_", " "), cell.bucket, count(cell.baseline.n), count(cell.current.n), plain(cell.baseline.mean, kind), plain(cell.current.mean, kind), cell.state === "sufficient" ? [el(clear(cell) ? "b" : "span", "", withInterval(cell.difference, cell.interval, kind, true))] : "insufficient"])));
  nodes.push(details);
  return nodes;
}

function events(verdict, finding) {
  const near = verdict.correlated_events || [];
  if (!near.length) return [el("h3", "", "Events around the onset"), el("p", "soft", "None that is rarer than chance.")];
  return [el("h3", "", "Events around the onset"), table(
    [{title: "kind"}, {title: "before the onset", number: true}, {title: "by chance", number: true}, {title: "event", wide: true}],
    near.map(event => [event.kind, event.lag_seconds + " s", percent(event.p_value), event.event_id]))];
}

function reasons(verdict) {
  const nodes = [];
  if ((verdict.ruled_out || []).length) nodes.push(el("h3", "", "Ruled out"), table([{title: "cause"}, {title: "because", wide: true}], verdict.ruled_out.map(one => [one.cause.replace("_", " "), one.because])));
  if ((verdict.contributing || []).length) nodes.push(el("h3", "", "Also took part"), table([{title: "cause"}, {title: "share of the shift", number: true}], verdict.contributing.map(one => [one.cause.replace("_", " "), known(one.share) ? percent(one.share) : "-"])));
  return nodes;
}

/** Only http and https open from here, whatever the document holds. */
function link(url, text) {
  if (!/^https?:\/\//i.test(url || "")) return text;
  const node = el("a", "", text);
  node.href = url;
  node.rel = "noopener noreferrer";
  node.target = "_blank";
  return node;
}

function exemplars(entry, kind) {
  const all = entry.finding.exemplars || [];
  if (!all.length) return [];
  const urls = new Map(entry.outputs.map(one => [one.request_id, one.url]));
  return [el("h3", "", "Requests to look at"), table(
    [{title: "request", wide: true}, {title: "is"}, {title: "value", number: true}, {title: "cell", wide: true}, {title: "time (UTC)"}],
    all.map(one => [link(urls.get(one.request_id), one.request_id), one.role || "-", plain(one.value, kind), Object.entries(one.cell || {}).map(([k, v]) => `${k.replace("_", " ")} ${v}`).join(", ") || "-", when(one.at)]))];
}

function test(finding) {
  const next = finding.next_test;
  if (!next) return [];
  return [el("h3", "", "What would settle it"), el("p", "", next.what), next.command ? el("pre", "", next.command) : ""];
}

function history(entry) {
  return el("details", "", el("summary", "", `Versions of this finding (${entry.history.length})`), table(
    [{title: "decided (UTC)"}, {title: "state"}, {title: "severity"}, {title: "cause"}, {title: "confidence", number: true}],
    entry.history.map(one => [when(one.at), one.state, one.severity, one.cause.replace("_", " "), known(one.confidence) ? probability(one.confidence) : "-"])));
}

function reproduce() {
  const run = DATA.run, missing = Object.entries(DATA.left_out);
  const pairs = map => Object.entries(map).map(([k, v]) => [k, String(v)]);
  const nodes = [el("h2", "", "How to get this again"), el("pre", "", run.command),
    el("h4", "", "Versions"), table([{title: "part"}, {title: "version", wide: true}], pairs(run.versions))];
  if (Object.keys(run.settings).length) nodes.push(el("h4", "", "Settings that are no default"), table([{title: "setting"}, {title: "value", wide: true}], pairs(run.settings)));
  nodes.push(el("h4", "", "Left out of this report"), missing.length ? table([{title: "what"}, {title: "how many", number: true}], missing.map(([k, v]) => [k.replaceAll("_", " "), count(v)])) : el("p", "soft", "Nothing."));
  nodes.push(el("details", "", el("summary", "", `Policy ${run.policy_hash}`), el("pre", "", run.policy)), el("details", "", el("summary", "", "What was read and counted"), el("pre", "", JSON.stringify(run.summary, null, 2))));
  return nodes;
}

// --- the page ---------------------------------------------------------------------------------

document.getElementById("main").append(...header(), ...summary(), ...overview(), ...DATA.findings.map(findingSection), ...reproduce());
drawAll();

let redraw = 0, drawnAt = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === drawnAt) return;
  drawnAt = innerWidth;
  cancelAnimationFrame(redraw);
  redraw = requestAnimationFrame(() => drawAll());
});
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("main details:not([open])")];
  closed.forEach(details => { details.open = true; });
  drawAll(PRINT_WIDTH);
});
addEventListener("afterprint", () => {
  closed.forEach(details => { details.open = false; });
  drawAll();
});
