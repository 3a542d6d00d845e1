import { create, type DescField, type DescMessage, ScalarType, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { awkwardText, ids } from './inputs.js'

const numbers = fc.constantFrom(0, 1, 2, 99, 1_000, 2 ** 31 - 1, -1)

const positions = fc.constantFrom(0n, 1n, 1_770_091_506_000_000n, 2n ** 63n - 1n)

/** Well-formed, for clients write nothing else; bytes are spoilt later. */
const text = awkwardText.map((found) => found.toWellFormed())

const single = (field: DescField): fc.Arbitrary<unknown> => {
  if (field.message) return fieldsOf(field.message)
  if (field.scalar === ScalarType.BOOL) return fc.boolean()
  if (field.scalar === ScalarType.UINT64 || field.scalar === ScalarType.INT64) return positions
  if (field.scalar !== ScalarType.STRING) return numbers
  return /id$/i.test(field.localName) ? ids : text
}

const fieldsOf = ({ fields }: DescMessage): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      fields.map((field) => [
        field.localName,
        field.fieldKind === 'list' ? fc.array(single(field), { maxLength: 4 }) : single(field),
      ]),
    ),
    { requiredKeys: [] },
  )

/** A message as a client of ours would write it, whatever its fields hold. */
const wellFormed = (desc: DescMessage): fc.Arbitrary<Uint8Array> =>
  fieldsOf(desc).map((fields) => toBinary(desc, create(desc, fields)))

const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** Bytes of one field: unknown numbers, groups within groups, ill-formed text, lengths that lie. */
const oddFields = fc
  .oneof(
    fc.constantFrom(
      [0x7a, 1, 0x41],
      [0x78, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0x0a, 2, 0xc3, 0x28],
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
      [0x00],
      [0x0f],
    ),
    fc.constantFrom(1, 99, 101, 50_000).map((depth) => new Array<number>(depth).fill(0x7b)),
    fc.constantFrom(10, 3_000).map((often) => new Array<number>(often).fill(0x78)),
  )
  .map((bytes) => new Uint8Array(bytes))

/** What happens to a message on its way. */
const spoilt = (message: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(message) },
    oddFields.map((field) => join(message, field)),
    oddFields.map((field) => join(field, message)),
    fc.nat(message.length).map((end) => message.slice(0, end)),
    fc.constant(join(message, message)),
    fc.tuple(fc.nat(message.length), fc.nat(255)).map(([at, byte]) => {
      const changed = new Uint8Array(message)
      changed[at] = byte
      return changed
    }),
    fc.uint8Array({ maxLength: 64 }),
  )

/** The bytes of a message of this type: mostly well-formed, or spoilt in one place. */
export const messagesOf = (desc: DescMessage): fc.Arbitrary<Uint8Array> =>
  wellFormed(desc).chain(spoilt)
