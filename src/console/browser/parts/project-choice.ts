import type { Json } from '../state/api.js'
import { useLoad } from '../state/load.js'
import { parameter, setParameters } from '../state/router.js'
import { texts } from '../texts.js'
import { html } from './html.js'
import { FailureNotice } from './notice.js'

/** Chooses a project by its name. */
export const ProjectChoice = () => {
  const { answer, failure } = useLoad('/v1/projects?page_size=1000&order_by=name')
  const projects = (answer?.body['projects'] ?? []) as readonly Json[]
  const chosen = parameter('projectId')
  if (failure) return html`<${FailureNotice} failure=${failure} />`
  const choose = (event: Event) =>
    setParameters({ projectId: (event.target as HTMLSelectElement).value })
  return html`<label>${texts.choose} <select value=${chosen} onChange=${choose}>
    <option value="">${texts.none}</option>
    ${projects.map(({ id, name }) => html`<option value=${id} selected=${id === chosen}>${String(name)}</option>`)}
  </select></label>`
}
