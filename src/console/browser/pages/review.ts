import { html } from '../parts/html.js'
import { FailureNotice, Loading } from '../parts/notice.js'
import { ProjectChoice } from '../parts/project-choice.js'
import { TimeField } from '../parts/time-field.js'
import { Time, Value } from '../parts/values.js'
import { type Json, withQuery } from '../state/api.js'
import { usePages } from '../state/pages.js'
import { parameter } from '../state/router.js'
import { fieldName, texts } from '../texts.js'

const COLUMNS = ['userId', 'orgId', 'roleKey', 'from', 'expiresAt']

/** Who had which role of a project at a time, over all organizations. */
export const Review = () => {
  const projectId = parameter('projectId')
  const at = parameter('at')
  return html`<article>
    <h1>${texts.review}</h1>
    <div class="bar no-print"><${ProjectChoice} /> <${TimeField} name="at" label=${texts.at} /></div>
    ${
      projectId
        ? html`<${ReviewOf} key=${`${projectId} ${at}`} projectId=${projectId} at=${at} />`
        : html`<p class="empty">${texts.chooseProject}</p>`
    }
  </article>`
}

const ReviewOf = ({ projectId, at }: { readonly projectId: string; readonly at: string }) => {
  const path = `/v1/projects/${encodeURIComponent(projectId)}/roleHolders`
  const asked = withQuery(path, { at, page_size: '1000' })
  const { rows, hasMore, failure, more, retry } = usePages(asked, 'roleHolders')
  if (failure) return html`<${FailureNotice} failure=${failure} retry=${retry} />`
  if (!rows) return html`<${Loading} />`
  return html`<div class="bar">
      <span><bdi>${texts.reviewAbout(projectId)}</bdi>, <${Time} at=${at || new Date().toISOString()} /></span>
      <button type="button" class="no-print" onClick=${() => window.print()}>${texts.print}</button>
    </div>
    ${rows.length === 0 ? html`<p class="empty">${texts.emptyReview}</p>` : html`<${Holders} rows=${rows} />`}
    ${hasMore && html`<p class="notice">${texts.notAll} <button type="button" onClick=${more}>${texts.more}</button></p>`}`
}

const Holders = ({ rows }: { readonly rows: readonly Json[] }) =>
  html`<div class="wide" tabindex="0" role="region" aria-label=${texts.review}>
    <table>
      <thead><tr>${COLUMNS.map((name) => html`<th scope="col">${fieldName(name)}</th>`)}</tr></thead>
      <tbody>
        ${rows.map((holder) => html`<tr>${COLUMNS.map((name) => html`<td><${Value} of=${holder[name]} field=${name} /></td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`
