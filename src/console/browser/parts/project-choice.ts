import { useEffect } from 'preact/hooks'
import { usePages } from '../state/pages.js'
import { parameter, setParameters } from '../state/router.js'
import { texts } from '../texts.js'
import { html } from './html.js'
import { FailureNotice } from './notice.js'

const PATH = '/v1/projects?page_size=1000&order_by=name'

/** Chooses a project by its name. */
export const ProjectChoice = () => {
  const { rows = [], failure, hasMore, more } = usePages(PATH, 'projects')
  useEffect(() => {
    if (hasMore) more()
  }, [hasMore, rows])
  const chosen = parameter('projectId')
  if (failure) return html`<${FailureNotice} failure=${failure} />`
  const choose = (event: Event) =>
    setParameters({ projectId: (event.target as HTMLSelectElement).value })
  return html`<label>${texts.choose} <select value=${chosen} onChange=${choose}>
    <option value="">${texts.none}</option>
    ${rows.map(({ id, name }) => html`<option value=${id} selected=${id === chosen}>${String(name)}</option>`)}
  </select></label>`
}
