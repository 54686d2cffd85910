import type { Message, Reply, ViewData, WireBuffer } from "./types";

/** The version of the frame that this page reads. */
export const FRAME_VERSION = 1;

export interface Frame {
  id: number;
  replies: Reply[];
}

const ARRAYS = { float64: Float64Array, float32: Float32Array, int32: Int32Array, uint8: Uint8Array };

interface BufferHeader {
  dtype: keyof typeof ARRAYS;
  shape: number[];
  offset: number;
  bytes: number;
}

interface FrameHeader {
  clearhead: number;
  id: number;
  replies: { data: ViewData; buffers: BufferHeader[] }[];
}

/** The text frame that asks `messages`; the answer carries the same id. */
export function encodeRequest(id: number, messages: Message[]): string {
  return JSON.stringify({ id, asks: messages });
}

/**
 * Read one binary reply: uint32 (little-endian) header length, the JSON header, then the buffers, each starting
 * at a multiple of 8 so that it can be viewed in place without a copy.
 * Throws when the frame is cut short or of another version: the page must not draw half a picture.
 */
export function decodeFrame(bytes: ArrayBuffer): Frame {
  if (bytes.byteLength < 4)
    throw new Error(`A reply of ${bytes.byteLength} bytes is too short to be a frame.`);
  const headerLength = new DataView(bytes).getUint32(0, true);
  const start = 4 + headerLength;
  if (start > bytes.byteLength) {
    throw new Error(`The reply's header should have ${headerLength} bytes, but the frame ends before that.`);
  }
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, headerLength))) as FrameHeader;
  if (header.clearhead !== FRAME_VERSION) {
    throw new Error(
      `The server speaks version ${header.clearhead} of the frame; this page reads ${FRAME_VERSION}.`,
    );
  }
  const replies = header.replies.map((reply) => ({
    data: reply.data,
    buffers: reply.buffers.map((buffer) => viewBuffer(bytes, start, buffer)),
  }));
  return { id: header.id, replies };
}

function viewBuffer(bytes: ArrayBuffer, start: number, buffer: BufferHeader): WireBuffer {
  const from = start + buffer.offset;
  if (from + buffer.bytes > bytes.byteLength) {
    throw new Error(
      `The reply is cut short: a buffer should end at byte ${from + buffer.bytes} of ${bytes.byteLength}.`,
    );
  }
  const Numbers = ARRAYS[buffer.dtype];
  if (Numbers === undefined) throw new Error(`The reply has numbers of the format ${buffer.dtype}.`);
  const size = Numbers.BYTES_PER_ELEMENT;
  if (from % size === 0) return new Numbers(bytes, from, buffer.bytes / size);
  return new Numbers(bytes.slice(from, from + buffer.bytes));
}
