import { malformed } from '../../errors/status-error.js'
import type { MessageField, MessageFields, Values } from '../../messages/message-fields.js'

/** The input of a method that lists `items`; zero and empty stand for absent, as AIP-158 has it. */
export const listInput = (
  items: MessageFields,
  { pageSize, pageToken, orderBy, ...others }: Values,
): Values => ({
  ...others,
  pageSize: pageSize || undefined,
  pageToken: pageToken || undefined,
  sort: sortOf(items, String(orderBy)),
})

/**
 * `name desc,change_date` (AIP-132) as sort keys, by either name of a field.
 *
 * @throws ConnectError for what cannot be sorted by, or is given twice
 */
const sortOf = (items: MessageFields, orderBy: string): readonly object[] => {
  if (orderBy === '') return []
  const fields = sortFields(items)
  const seen = new Set<MessageField>()
  // One more than there are fields is wrong, or names one twice: no more are looked at.
  return orderBy.split(',', fields.length + 1).map((key) => {
    const [, name, direction] = /^ *(\w+)(?: +(asc|desc))? *$/.exec(key) ?? []
    const field = fields.find((known) => known.name === name || known.protoName === name)
    if (!field) {
      const names = fields.map((known) => known.name).join(', ')
      throw wrongOrder(`must be some of ${names}, each with " desc" or not`)
    }
    if (seen.has(field)) throw wrongOrder('must not name a field twice')
    seen.add(field)
    return { field: field.name, direction: direction === 'desc' ? 'desc' : 'asc' }
  })
}

/** Those of `items` with one value, and those of their `details` but the owner, which all of a list have in common. */
const sortFields = ({ all }: MessageFields): readonly MessageField[] =>
  all
    .filter(({ isList }) => !isList)
    .flatMap((field) => (field.kind === 'message' ? field.message.all : [field]))
    .filter(({ name }) => name !== 'resourceOwner')

const wrongOrder = (description: string) => malformed({ field: 'orderBy', description })
