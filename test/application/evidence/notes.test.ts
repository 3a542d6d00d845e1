import { describe, expect, it } from 'vitest'
import { generateSignerKey } from '../../../src/application/evidence/index.js'
import {
  openNote,
  readSigner,
  readVerifier,
  signNote,
} from '../../../src/application/evidence/signed-note.js'

/** The example of the Go module that first had signed notes. */
const SIGNER = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'
const VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const NOTE = `${TEXT}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

const verifier = readVerifier(VERIFIER)!

describe('A signed note', () => {
  it('is signed as others sign it', async () => {
    const signer = await readSigner(SIGNER)
    expect(signer?.verifier).toEqual(verifier)
    expect(await signNote(TEXT, signer!.seed)).toBe(NOTE)
    expect(await openNote(NOTE, [verifier])).toBe(TEXT)
  })

  it('may have signatures of others too', async () => {
    const other = await generateSignerKey('other.example')
    const twice = `${NOTE}\u2014 other.example ${btoa('x'.repeat(68))}\n`
    expect(await openNote(twice, [verifier])).toBe(TEXT)
    expect(await openNote(twice, [readVerifier(other.verifier)!])).toBeUndefined()
  })

  it.each([
    ['a changed text', NOTE.replace('answer', 'Answer')],
    ['another name', NOTE.replace('\u2014 PeterNeumann', '\u2014 Peter')],
    ['a changed signature', NOTE.replace('9UG', '9UH')],
    ['another key id', NOTE.replace('x08go', 'x08gp')],
    ['no signature', TEXT],
    ['no line break at the end', NOTE.slice(0, -1)],
    ['a hyphen for the dash', NOTE.replace('\u2014', '-')],
    ['base64 with a loose end', NOTE.replace('JnAM=', 'JnAN=')],
  ])('is not opened with %s', async (_, note) => {
    expect(await openNote(note, [verifier])).toBeUndefined()
  })
})

describe('A key of notes', () => {
  it('is drawn anew each time, and read again', async () => {
    const [one, two] = [await generateSignerKey('acme.example/iam'), await generateSignerKey('b')]
    expect(one.signer).toMatch(/^PRIVATE\+KEY\+acme\.example\/iam\+[0-9a-f]{8}\+AQ?/)
    const read = await readSigner(one.signer)
    expect(read?.verifier).toEqual(readVerifier(one.verifier))
    expect(one.verifier).not.toBe(two.verifier)
  })

  it.each(['', 'two words', 'a+b', 'line\nbreak', 'x'.repeat(201), 5])(
    'has no name like %j',
    async (name) => {
      await expect(generateSignerKey(name as string)).rejects.toThrow(
        'name must be 1 to 200 characters without spaces and without +',
      )
    },
  )

  it.each([
    VERIFIER.replace('c74f20a3', 'c74f20a4'),
    VERIFIER.replace('ARpc', 'AhpX'),
    VERIFIER.replace('PeterNeumann', 'Peter'),
    VERIFIER.slice(0, -4),
    SIGNER,
    '',
    5,
  ])('is not read from %j', async (text) => {
    expect(readVerifier(text)).toBeUndefined()
    if (text !== SIGNER) expect(await readSigner(`PRIVATE+KEY+${text}`)).toBeUndefined()
  })
})
