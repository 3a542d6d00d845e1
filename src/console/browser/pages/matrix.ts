import { useMemo, useState } from 'preact/hooks'
import { html } from '../parts/html.js'
import { FailureNotice, Loading } from '../parts/notice.js'
import { ProjectChoice } from '../parts/project-choice.js'
import { Time } from '../parts/values.js'
import { call, type Json, type Outcome, withQuery } from '../state/api.js'
import { type LoadedPages, usePages } from '../state/pages.js'
import { href, parameter } from '../state/router.js'
import { fieldName, texts } from '../texts.js'

/** A user, and a role of the project. */
interface Chosen {
  readonly userId: string
  readonly projectOrgId: string
  readonly roleKey: string
}

/** Users by roles of a project, and why a role counts or does not. */
export const Matrix = () => {
  const projectId = parameter('projectId')
  return html`<article>
    <h1>${texts.matrix}</h1>
    <div class="bar"><${ProjectChoice} /></div>
    ${
      projectId
        ? html`<${MatrixOf} key=${projectId} projectId=${projectId} />`
        : html`<p class="empty">${texts.chooseProject}</p>`
    }
  </article>`
}

const MatrixOf = ({ projectId }: { readonly projectId: string }) => {
  const path = `/v1/projects/${encodeURIComponent(projectId)}/roles`
  const roles = usePages(withQuery(path, { page_size: '50', order_by: 'role_key' }), 'projectRoles')
  const { rows, failure, retry } = roles
  if (failure) return html`<${FailureNotice} failure=${failure} retry=${retry} />`
  if (!rows) return html`<${Loading} />`
  const owner = String((rows[0]?.['details'] as Json | undefined)?.['resourceOwner'] ?? '')
  if (!owner) return html`<p class="empty">${texts.emptyMatrix}</p>`
  return html`<${Users} projectId=${projectId} owner=${owner} roles=${roles} />`
}

interface UsersProps {
  readonly projectId: string
  /** Another organization may have a project of the same id. */
  readonly owner: string
  readonly roles: LoadedPages
}

const Users = ({ projectId, owner, roles }: UsersProps) => {
  const ofGrants = {
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': owner,
    page_size: '50',
    order_by: 'user_id',
  }
  const grants = usePages(withQuery('/v1/userGrants', ofGrants), 'userGrants')
  const [asked, setAsked] = useState<{ chosen: Chosen; outcome: Outcome } | undefined>()
  const ask = async (chosen: Chosen) => {
    const { userId, projectOrgId, roleKey } = chosen
    const query = { user_id: userId, project_id: projectId, project_org_id: projectOrgId }
    const checked = withQuery('/v1/access:check', { ...query, role_key: roleKey })
    setAsked({ chosen, outcome: await call({ method: 'GET', path: checked }) })
  }
  const keys = useMemo(() => roles.rows?.map(({ roleKey }) => String(roleKey)) ?? [], [roles.rows])
  const { failure, retry } = grants
  if (failure) return html`<${FailureNotice} failure=${failure} retry=${retry} />`
  if (!grants.rows) return html`<${Loading} />`
  if (grants.rows.length === 0) return html`<p class="empty">${texts.emptyMatrix}</p>`
  return html`<${Table} keys=${keys} grants=${grants.rows} ask=${ask} />
    ${grants.hasMore && html`<button type="button" onClick=${grants.more}>${texts.moreUsers}</button>`}
    ${roles.hasMore && html` <button type="button" onClick=${roles.more}>${texts.moreRoles}</button>`}
    <div role="status">${asked && html`<${Why} ...${asked} />`}</div>`
}

interface TableProps {
  readonly keys: readonly string[]
  readonly grants: readonly Json[]
  readonly ask: (chosen: Chosen) => void
}

const Table = ({ keys, grants, ask }: TableProps) =>
  html`<p class="none">${texts.whyHint}</p>
    <div class="wide matrix" tabindex="0" role="region" aria-label=${texts.matrix}>
      <table>
        <thead><tr>
          <th scope="col">${fieldName('userId')}</th>
          ${keys.map((key) => html`<th scope="col"><bdi>${key}</bdi></th>`)}
        </tr></thead>
        <tbody>
          ${grants.map((grant) => html`<${Row} key=${grant['userId']} grant=${grant} keys=${keys} ask=${ask} />`)}
        </tbody>
      </table>
    </div>`

interface RowProps extends Pick<TableProps, 'keys' | 'ask'> {
  readonly grant: Json
}

const Row = ({ grant, keys, ask }: RowProps) => {
  const userId = String(grant['userId'])
  // Rows stay as they are while others are added below: a matrix may have thousands of cells.
  return useMemo(
    () => html`<tr>
      <th scope="row" title=${userId}><a href=${href('user', { userId })}><bdi>${userId}</bdi></a></th>
      ${keys.map((roleKey) => html`<td><${Cell} grant=${grant} roleKey=${roleKey} ask=${ask} /></td>`)}
    </tr>`,
    [grant, keys],
  )
}

interface CellProps extends Pick<TableProps, 'ask'> {
  readonly grant: Json
  readonly roleKey: string
}

const Cell = ({ grant, roleKey, ask }: CellProps) => {
  const { kind, mark, label, expiresAt } = cellOf(grant, roleKey)
  const userId = String(grant['userId'])
  const onClick = () => ask({ userId, projectOrgId: String(grant['projectOrgId']), roleKey })
  const isOff = kind === 'off'
  return html`<button type="button" class=${`cell ${kind}`} onClick=${onClick}>
    <span aria-hidden="true">${mark} </span>
    <span class=${isOff ? 'none' : 'hidden'}>${isOff ? label : `${userId}, ${roleKey}: ${label}`}</span>
    ${expiresAt && html`<small>${texts.until} <${Time} at=${expiresAt} /></small>`}
  </button>`
}

const cellOf = (grant: Json, roleKey: string) => {
  const roles = (grant['roles'] ?? []) as readonly Json[]
  const held = roles.find((role) => role['roleKey'] === roleKey)
  if (!held) return { kind: 'no', mark: '–', label: texts.noRole }
  const expiresAt = held['expiresAt'] === undefined ? undefined : String(held['expiresAt'])
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    return { kind: 'off', mark: '○', label: texts.expired, expiresAt }
  if (grant['state'] === 'STATE_INACTIVE')
    return { kind: 'off', mark: '○', label: texts.inactive, expiresAt }
  return { kind: 'on', mark: '●', label: texts.counts, expiresAt }
}

const Why = ({ chosen, outcome }: { readonly chosen: Chosen; readonly outcome: Outcome }) => {
  if ('failure' in outcome) return html`<${FailureNotice} failure=${outcome.failure} />`
  const { userId, roleKey } = chosen
  const { allowed, reasons } = outcome.ok.body
  const kinds = ((reasons ?? []) as readonly Json[]).map(({ kind }) => String(kind))
  return html`<section class="notice">
    <h2>${texts.why}</h2>
    <p><bdi>${allowed ? texts.allowed(userId, roleKey) : texts.refused(userId, roleKey)}</bdi></p>
    ${kinds.length > 0 && html`<ul>${kinds.map((kind) => html`<li>${texts.reasons[kind] ?? kind}</li>`)}</ul>`}
  </section>`
}
