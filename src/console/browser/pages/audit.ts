import { useState } from 'preact/hooks'
import { HistoryList } from '../parts/history.js'
import { html } from '../parts/html.js'
import { FailureNotice, Loading } from '../parts/notice.js'
import { Time, Value } from '../parts/values.js'
import { call, type Failure, type Json, withQuery } from '../state/api.js'
import { useLoad } from '../state/load.js'
import { href, parameter, setParameters } from '../state/router.js'
import { fieldName, texts } from '../texts.js'

const local = (at: string): string => {
  if (!at) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
const instant = (text: string): string => (text ? new Date(text).toISOString() : '')

const TimeField = ({ name, label }: { readonly name: string; readonly label: string }) =>
  html`<label>${label} <input type="datetime-local" value=${local(parameter(name))} onChange=${(event: Event) => setParameters({ [name]: instant((event.target as HTMLInputElement).value) })} /></label>`

export const Timeline = () => {
  const [isLive, setLive] = useState(true)
  const query = {
    actor: parameter('actor'),
    types: parameter('types'),
    'time.from': parameter('from'),
    'time.to': parameter('to'),
  }
  const text = (name: string, label: string) =>
    html`<label>${label} <input type="text" maxlength="200" value=${parameter(name)} onChange=${(event: Event) => setParameters({ [name]: (event.target as HTMLInputElement).value })} /></label>`
  return html`<article><h1>${texts.timeline}</h1>
    <div class="bar">${text('actor', texts.who)} ${text('types', texts.type)} <${TimeField} name="from" label=${texts.from} /> <${TimeField} name="to" label=${texts.to} />
      <button type="button" aria-pressed=${isLive} onClick=${() => setLive(!isLive)}>${isLive ? texts.live : texts.paused}</button></div>
    <${HistoryList} path="/v1/history" query=${query} isLive=${isLive && !query['time.to']} hasObjects=${true} /></article>`
}

export const Overview = () => {
  const counts = [
    ['providers', '/v1/idps?page_size=1', texts.providers],
    ['projects', '/v1/projects?page_size=1', texts.projects],
    ['users', '/v1/userGrants?page_size=1', texts.users],
  ] as const
  return html`<article><h1>${texts.overview}</h1><div class="cards">${counts.map(([page, path, label]) => html`<${Count} key=${page} page=${page} path=${path} label=${label} />`)}</div>
    <h2>${texts.recent}</h2><${HistoryList} path="/v1/history" size="8" isLive=${true} hasObjects=${true} /><p><a href=${href('timeline')}>${texts.allChanges}</a></p></article>`
}

const Count = ({
  page,
  path,
  label,
}: {
  readonly page: 'providers' | 'projects' | 'users'
  readonly path: string
  readonly label: string
}) => {
  const { answer, failure, reload } = useLoad(path)
  return html`<section class="card"><h2><a href=${href(page)}>${label}</a></h2>${failure ? html`<${FailureNotice} failure=${failure} retry=${reload} />` : answer ? html`<p class="figure">${Number(answer.body['totalSize'] ?? 0)}</p>` : html`<${Loading} />`}</section>`
}

/** Chooses a project by its name. */
const ProjectChoice = () => {
  const { answer, failure } = useLoad('/v1/projects?page_size=1000&order_by=name')
  const projects = (answer?.body['projects'] ?? []) as readonly Json[]
  const chosen = parameter('projectId')
  if (failure) return html`<${FailureNotice} failure=${failure} />`
  return html`<label>${texts.choose} <select value=${chosen} onChange=${(event: Event) => setParameters({ projectId: (event.target as HTMLSelectElement).value })}>
    <option value="">${texts.none}</option>${projects.map(({ id, name }) => html`<option value=${id} selected=${id === chosen}>${String(name)}</option>`)}</select></label>`
}

/** All pages of a list, up to a bound that a person can still read. */
const MOST = '1000'

export const Review = () => {
  const projectId = parameter('projectId')
  const at = parameter('at')
  const { answer, failure, reload } = useLoad(
    projectId
      ? withQuery(`/v1/projects/${encodeURIComponent(projectId)}/roleHolders`, {
          at,
          page_size: MOST,
          page_token: parameter('page'),
        })
      : undefined,
  )
  const holders = (answer?.body['roleHolders'] ?? []) as readonly Json[]
  const next = String(answer?.body['nextPageToken'] ?? '')
  return html`<article><h1>${texts.review}</h1><div class="bar no-print"><${ProjectChoice} /> <${TimeField} name="at" label=${texts.at} />
      <button type="button" onClick=${() => window.print()} disabled=${holders.length === 0}>${texts.print}</button></div>
    ${!projectId && html`<p class="empty">${texts.chooseProject}</p>`}
    ${failure && html`<${FailureNotice} failure=${failure} retry=${reload} />`}
    ${
      answer &&
      html`<p><bdi>${texts.reviewAbout(projectId)}</bdi>, <${Time} at=${at || new Date().toISOString()} /></p>
      ${
        holders.length === 0
          ? html`<p class="empty">${texts.empty}</p>`
          : html`<div class="wide" tabindex="0" role="region" aria-label=${texts.review}><table><thead><tr>${['userId', 'orgId', 'roleKey', 'from', 'expiresAt'].map((name) => html`<th scope="col">${fieldName(name)}</th>`)}</tr></thead>
        <tbody>${holders.map((holder) => html`<tr>${['userId', 'orgId', 'roleKey', 'from', 'expiresAt'].map((name) => html`<td><${Value} of=${holder[name]} /></td>`)}</tr>`)}</tbody></table></div>`
      }
      ${next && html`<button type="button" onClick=${() => setParameters({ page: next })}>${texts.more}</button>`}`
    }</article>`
}

interface Cell {
  readonly userId: string
  readonly roleKey: string
}

export const Matrix = () => {
  const projectId = parameter('projectId')
  const base = `/v1/projects/${encodeURIComponent(projectId)}`
  const roles = useLoad(projectId ? `${base}/roles?page_size=100&order_by=role_key` : undefined)
  const grants = useLoad(
    projectId
      ? withQuery('/v1/userGrants', {
          'filter.project_id.equals': projectId,
          page_size: '200',
          order_by: 'user_id',
          page_token: parameter('page'),
        })
      : undefined,
  )
  const [why, setWhy] = useState<
    (Cell & { readonly answer?: Json; readonly failure?: Failure }) | undefined
  >()
  const keys = ((roles.answer?.body['projectRoles'] ?? []) as readonly Json[]).map(({ roleKey }) =>
    String(roleKey),
  )
  const rows = (grants.answer?.body['userGrants'] ?? []) as readonly Json[]
  const failure = roles.failure ?? grants.failure
  const next = String(grants.answer?.body['nextPageToken'] ?? '')
  const ask = async (cell: Cell, projectOrgId: string) => {
    const outcome = await call({
      method: 'GET',
      path: withQuery('/v1/access:check', {
        user_id: cell.userId,
        project_id: projectId,
        project_org_id: projectOrgId,
        role_key: cell.roleKey,
      }),
    })
    setWhy({
      ...cell,
      ...('ok' in outcome ? { answer: outcome.ok.body } : { failure: outcome.failure }),
    })
  }
  return html`<article><h1>${texts.matrix}</h1><div class="bar"><${ProjectChoice} /></div>
    ${!projectId && html`<p class="empty">${texts.chooseProject}</p>`}
    ${
      failure &&
      html`<${FailureNotice} failure=${failure} retry=${() => {
        roles.reload()
        grants.reload()
      }} />`
    }
    ${!failure && grants.answer && rows.length === 0 && html`<p class="empty">${texts.empty}</p>`}
    ${
      !failure &&
      rows.length > 0 &&
      html`<p class="none">${texts.whyHint}</p><div class="wide matrix" tabindex="0" role="region" aria-label=${texts.matrix}><table>
      <thead><tr><th scope="col">${fieldName('userId')}</th>${keys.map((key) => html`<th scope="col"><bdi>${key}</bdi></th>`)}</tr></thead>
      <tbody>${rows.map(
        (
          grant,
        ) => html`<tr><th scope="row"><a href=${href('user', { userId: String(grant['userId']) })}><bdi>${String(grant['userId'])}</bdi></a></th>
        ${keys.map((roleKey) => {
          const cell = cellOf(grant, roleKey)
          return html`<td><button type="button" class=${`cell ${cell.kind}`} onClick=${() => void ask({ userId: String(grant['userId']), roleKey }, String(grant['projectOrgId']))}><span aria-hidden="true">${cell.mark} </span><span class=${cell.kind === 'off' ? 'none' : 'hidden'}>${cell.kind === 'off' ? cell.label : `${grant['userId']}, ${roleKey}: ${cell.label}`}</span>${cell.expiresAt && html`<small>${texts.until} <${Time} at=${cell.expiresAt} /></small>`}</button></td>`
        })}</tr>`,
      )}</tbody></table></div>`
    }
    ${next && html`<button type="button" onClick=${() => setParameters({ page: next })}>${texts.more}</button>`}
    <div role="status">${
      why &&
      html`<section class="notice"><h2>${texts.why}</h2>${
        why.failure
          ? html`<${FailureNotice} failure=${why.failure} />`
          : html`<p><bdi>${why.answer?.['allowed'] ? texts.allowed(why.userId, why.roleKey) : texts.refused(why.userId, why.roleKey)}</bdi></p>
      <ul>${((why.answer?.['reasons'] ?? []) as readonly Json[]).map(({ kind }) => html`<li>${texts.reasons[String(kind)] ?? String(kind)}</li>`)}</ul>`
      }</section>`
    }</div></article>`
}

const cellOf = (grant: Json, roleKey: string) => {
  const held = ((grant['roles'] ?? []) as readonly Json[]).find(
    (role) => role['roleKey'] === roleKey,
  )
  if (!held) return { kind: 'no', mark: '–', label: texts.noRole }
  const expiresAt = held['expiresAt'] === undefined ? undefined : String(held['expiresAt'])
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    return { kind: 'off', mark: '○', label: texts.expired, expiresAt }
  if (grant['state'] === 'STATE_INACTIVE')
    return { kind: 'off', mark: '○', label: texts.inactive, expiresAt }
  return { kind: 'on', mark: '●', label: texts.counts, expiresAt }
}
