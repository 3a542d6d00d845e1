import { HistoryList } from '../lists/history.js'
import { html } from '../parts/html.js'
import { FailureNotice, Loading } from '../parts/notice.js'
import { useLoad } from '../state/load.js'
import { href } from '../state/router.js'
import { texts } from '../texts.js'

const COUNTS = [
  ['providers', '/v1/idps?page_size=1', texts.providers],
  ['projects', '/v1/projects?page_size=1', texts.projects],
  ['users', '/v1/userGrants?page_size=1', texts.userGrants],
  ['domains', '/v1/domains?page_size=1', texts.domains],
] as const

export const Overview = () => html`<article>
  <h1>${texts.overview}</h1>
  <div class="cards">
    ${COUNTS.map(([page, path, label]) => html`<${Count} key=${page} page=${page} path=${path} label=${label} />`)}
  </div>
  <h2>${texts.recent}</h2>
  <${HistoryList} path="/v1/history" size="8" isLive=${true} hasObjects=${true} />
  <p><a href=${href('timeline')}>${texts.allChanges}</a></p>
</article>`

interface CountProps {
  readonly page: (typeof COUNTS)[number][0]
  readonly path: string
  readonly label: string
}

const Count = ({ page, path, label }: CountProps) => {
  const { answer, failure, reload } = useLoad(path)
  const total = Number(answer?.body['totalSize'] ?? 0)
  return html`<section class="card">
    <h2><a href=${href(page)}>${label}</a></h2>
    ${failure && html`<${FailureNotice} failure=${failure} retry=${reload} />`}
    ${answer && html`<p class="figure">${total}</p>`}
    ${!answer && !failure && html`<${Loading} />`}
  </section>`
}
