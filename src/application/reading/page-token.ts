import { fromBase64url, toBase64url } from '../../domain/encoding.js'
import { fieldOf, unstorable } from '../../domain/values.js'
import type { ListQuery, SortValue, ViewType } from '../../ports/read-model.js'
import { canHold, fieldNamed, viewFields } from '../../projections/view-fields.js'
import { sha256 } from '../sha256.js'

/** A list without its page. */
type ListWithoutPage = Omit<ListQuery<ViewType>, 'after' | 'limit'>

/** A token is valid for the same organization, project, filter and order only. */
const bindingOf = (list: ListWithoutPage): Promise<string> =>
  sha256([list.type, list.orgId, list.projectId ?? null, list.conditions, list.sort])

/** The opaque token of the page after the row with these values of the sort fields. */
export const writePageToken = async (
  list: ListWithoutPage,
  after: readonly SortValue[],
): Promise<string> => writeToken(await bindingOf(list), after)

/** The values in a token of {@link writePageToken}; undefined when it is malformed or of another list. */
export const readPageToken = async (
  list: ListWithoutPage,
  token: string,
): Promise<readonly SortValue[] | undefined> => {
  const after = readToken(await bindingOf(list), token)
  const fits =
    after?.length === list.sort.length &&
    list.sort.every(({ field }, index) =>
      canHold(fieldNamed<never>(viewFields[list.type], field), after[index] ?? ''),
    )
  return fits ? after : undefined
}

/** A token of `values`, which is valid for the same `binding` only. */
export const writeToken = (binding: string, values: readonly SortValue[]): string => {
  const written = values.map((value) => (typeof value === 'bigint' ? { n: String(value) } : value))
  return toBase64url(new TextEncoder().encode(JSON.stringify([binding, ...written])))
}

/** The values in a token of {@link writeToken}; undefined when it is malformed or of another binding. */
export const readToken = (binding: string, token: string): readonly SortValue[] | undefined => {
  const [bound, ...values] = contentOf(token)
  const read = values.flatMap((value) => sortValueOf(value) ?? [])
  return bound === binding && read.length === values.length ? read : undefined
}

const contentOf = (token: string): readonly unknown[] => {
  const bytes = fromBase64url(token)
  if (!bytes) return []
  try {
    const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return Array.isArray(content) ? content : []
  } catch {
    return []
  }
}

const sortValueOf = (value: unknown): SortValue | undefined => {
  if (typeof value === 'boolean') return value
  // Tokens are not sealed: a made-up one must not send text to a store that it cannot keep.
  if (typeof value === 'string') return unstorable(value) === undefined ? value : undefined
  const digits = fieldOf(value, 'n')
  return typeof digits === 'string' && /^\d{1,18}$/.test(digits) ? BigInt(digits) : undefined
}
