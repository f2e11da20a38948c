"use strict";
const box = document.getElementById("answers");
document.addEventListener("change", () => {
  const answers = {};
  for (const chosen of document.querySelectorAll("input:checked")) answers[chosen.name] = chosen.value;
  box.value = JSON.stringify({run_id: box.dataset.run, answers});
});
