import { fromBase64, toBase64 } from './base64.js'
import { type NoteKey, privateKeyOf } from './note-key.js'

/** Text with the signature of a key (C2SP signed-note). `text` ends in a line break. */
export const signNote = async (text: string, seed: NoteKey): Promise<string> => {
  const bytes = new TextEncoder().encode(text)
  const signature = await crypto.subtle.sign('Ed25519', await privateKeyOf(seed.key), bytes)
  const signed = Uint8Array.of(...seed.id, ...new Uint8Array(signature))
  return `${text}\n\u2014 ${seed.name} ${toBase64(signed)}\n`
}

/** The text of a note, when a key of `keys` has signed it; signatures of other keys do not matter. */
export const openNote = async (
  note: string,
  keys: readonly NoteKey[],
): Promise<string | undefined> => {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, end + 1)
  for (const line of note.slice(end + 2, -1).split('\n'))
    for (const key of keys) if (await isSignedBy(text, line, key)) return text
  return undefined
}

const isSignedBy = async (text: string, line: string, { name, id, key }: NoteKey) => {
  const [, signer, encoded = ''] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? []
  const signed = fromBase64(encoded)
  if (signer !== name || signed?.length !== 68) return false
  if (!id.every((byte, index) => byte === signed[index])) return false
  const publicKey = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify'])
  const bytes = new TextEncoder().encode(text)
  return crypto.subtle.verify('Ed25519', publicKey, signed.slice(4), bytes)
}
