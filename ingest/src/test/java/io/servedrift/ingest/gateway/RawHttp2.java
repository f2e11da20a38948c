package io.servedrift.ingest.gateway;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;
import org.eclipse.jetty.http2.hpack.HpackException;

/** An HTTP/2 client that sends on the wire what a test says, also what no sound client would. */
final class RawHttp2 implements AutoCloseable {

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int GOAWAY = 7;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private final Socket socket;
  private final DataInputStream in;
  private final HpackDecoder decoder = new HpackDecoder(65_536, System::nanoTime);

  /** One frame: RFC 9113, section 4.1. */
  record Frame(int type, int flags, int stream, ByteBuffer payload) {}

  RawHttp2(RunningGateway gateway) throws IOException {
    socket = gateway.connect();
    in = new DataInputStream(socket.getInputStream());
    socket.getOutputStream().write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    frame(SETTINGS, 0, 0, new byte[0]);
  }

  void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    socket.getOutputStream().write(frame.array());
  }

  /** Names and values in turn, as they are, in literals without index: RFC 7541, section 6.2.2. */
  static byte[] block(String... namesAndValues) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      block.write(0);
      string(block, namesAndValues[i]);
      string(block, namesAndValues[i + 1]);
    }
    return block.toByteArray();
  }

  private static void string(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length < 127) {
      block.write(bytes.length);
    } else {
      block.write(127);
      int rest = bytes.length - 127;
      while (rest >= 128) {
        block.write(rest % 128 + 128);
        rest /= 128;
      }
      block.write(rest);
    }
    block.writeBytes(bytes);
  }

  void headers(int stream, boolean ends, String... namesAndValues) throws IOException {
    frame(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, block(namesAndValues));
  }

  void data(int stream, boolean ends, String text) throws IOException {
    frame(DATA, ends ? END_STREAM : 0, stream, text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void reset(int stream) throws IOException {
    frame(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(8).array());
  }

  private Frame next() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt() & Integer.MAX_VALUE;
    return new Frame(type, flags, stream, ByteBuffer.wrap(in.readNBytes(length)));
  }

  /** What becomes of a stream: its status, {@code reset CODE}, {@code goaway CODE}, closed. */
  String outcome(int stream) throws IOException {
    try {
      while (true) {
        Frame frame = next();
        if (frame.type() == GOAWAY) {
          return "goaway " + frame.payload().getInt(4);
        }
        if (frame.type() == HEADERS) {
          String status = status(frame);
          if (frame.stream() == stream) {
            return status;
          }
        } else if (frame.type() == RST_STREAM && frame.stream() == stream) {
          return "reset " + frame.payload().getInt();
        }
      }
    } catch (EOFException | SocketException ended) {
      return "closed";
    }
  }

  /** Every block is decoded, for the table that it may change. */
  private String status(Frame frame) throws IOException {
    try {
      MetaData.Response response = (MetaData.Response) decoder.decode(frame.payload());
      return Integer.toString(response.getStatus());
    } catch (HpackException e) {
      throw new IOException("the gateway sent a header block that is none", e);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
