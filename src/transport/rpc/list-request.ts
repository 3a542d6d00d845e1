import type { TextFilter as TextFilterInput } from '../../index.js'
import { malformed } from '../errors/status-error.js'
import type { TextFilter } from '../gen/claviger/v1/object_details_pb.js'

/** What the lists of all services have in common. */
interface ListRequest {
  readonly pageSize: number
  readonly pageToken: string
}

/** Zero and empty stand for absent, as AIP-158 has it. */
export const pageOf = ({ pageSize, pageToken }: ListRequest) => ({
  pageSize: pageSize === 0 ? undefined : pageSize,
  pageToken: pageToken === '' ? undefined : pageToken,
})

/** Sort keys, as the lists of the library take them. */
type Sort<Field> = { readonly field: Field; readonly direction: 'asc' | 'desc' }[]

/** `name desc,change_date` (AIP-132) as sort keys, which may have their names of JSON. @throws ConnectError for what is none of `fields`, or given twice */
export const sortOf = <Field extends string>(
  orderBy: string,
  fields: readonly Field[],
): Sort<Field> => {
  if (orderBy === '') return []
  const seen = new Set<Field>()
  // One more than there are fields is wrong, or names one twice: no more are looked at.
  return orderBy.split(',', fields.length + 1).map((key) => {
    const [, name, direction] = /^ *(\w+)(?: +(asc|desc))? *$/.exec(key) ?? []
    const field = fields.find((known) => known === name || protoNameOf(known) === name)
    if (field === undefined)
      throw wrongOrder(`must be some of ${fields.join(', ')}, each with " desc" or not`)
    if (seen.has(field)) throw wrongOrder('must not name a field twice')
    seen.add(field)
    return { field, direction: direction === 'desc' ? 'desc' : 'asc' }
  })
}

/** Such as `change_date`. */
const protoNameOf = (jsonName: string): string =>
  jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const wrongOrder = (description: string) => malformed({ field: 'orderBy', description })

/** Fields of `details`, and the state, that every list can be sorted by. */
export const DETAIL_FIELDS = ['state', 'sequence', 'creationDate', 'changeDate'] as const

/** Absent operators stay absent. */
export const textFilterOf = (filter: TextFilter | undefined): TextFilterInput | undefined =>
  filter && {
    equals: filter.equals,
    startsWith: filter.startsWith,
    contains: filter.contains,
    ignoreCase: filter.ignoreCase,
  }
