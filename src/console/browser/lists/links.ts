import { type ConsoleKind, kinds } from '../kinds.js'
import { html } from '../parts/html.js'
import type { Json } from '../state/api.js'
import { href } from '../state/router.js'

interface ObjectLinkProps {
  readonly kind: ConsoleKind
  readonly row: Json
  readonly text?: unknown
}

/** A link to the page of an object. */
export const ObjectLink = ({ kind, row, text }: ObjectLinkProps) => {
  const ids = Object.fromEntries(
    kind.ids.map((id) => [id, row[id] === undefined ? undefined : String(row[id])]),
  )
  const shown = String(text || ids[kind.ids.at(-1) ?? ''] || kind.title)
  return html`<a href=${href(kind.page, ids)}><bdi>${shown}</bdi></a>`
}

/** The id that tells most of an object. */
const NAMING = ['userId', 'roleKey', 'grantedOrgId', 'idpId', 'id', 'domain']

/** A link to the object of a reference, such as one in history. */
export const RefLink = ({ object }: { readonly object: Json }) => {
  const kind = kinds.find(({ type }) => type === object['type'])
  const text = NAMING.map((id) => object[id]).find((id) => id !== undefined)
  return kind
    ? html`<${ObjectLink} kind=${kind} row=${object} text=${text} />`
    : html`<bdi>${String(text ?? '')}</bdi>`
}
