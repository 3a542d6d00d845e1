/** Pieces of a body as one. */
export const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let start = 0
  for (const piece of pieces) {
    bytes.set(piece, start)
    start += piece.length
  }
  return bytes
}
