import { useState } from 'preact/hooks'
import { HistoryList } from '../lists/history.js'
import { html } from '../parts/html.js'
import { TimeField } from '../parts/time-field.js'
import { parameter, setParameters } from '../state/router.js'
import { texts } from '../texts.js'

export const Timeline = () => {
  const [isLive, setLive] = useState(true)
  const query = {
    actor: parameter('actor'),
    types: parameter('types'),
    'time.from': parameter('from'),
    'time.to': parameter('to'),
  }
  return html`<article>
    <h1>${texts.timeline}</h1>
    <div class="bar">
      <${TextField} name="actor" label=${texts.who} /> <${TypeChoice} />
      <${TimeField} name="from" label=${texts.from} /> <${TimeField} name="to" label=${texts.to} />
      <button type="button" aria-pressed=${isLive} onClick=${() => setLive(!isLive)}>${isLive ? texts.live : texts.paused}</button>
    </div>
    <${HistoryList} path="/v1/history" query=${query} isLive=${isLive && !query['time.to']} hasObjects=${true} />
  </article>`
}

const TypeChoice = () => {
  const onChange = (event: Event) =>
    setParameters({ types: (event.target as HTMLSelectElement).value })
  const chosen = parameter('types')
  return html`<label>${texts.type} <select value=${chosen} onChange=${onChange}>
    <option value="">${texts.anyType}</option>
    ${Object.entries(texts.types).map(([type, name]) => html`<option value=${type} selected=${type === chosen}>${name}</option>`)}
  </select></label>`
}

const TextField = ({ name, label }: { readonly name: string; readonly label: string }) => {
  const onChange = (event: Event) =>
    setParameters({ [name]: (event.target as HTMLInputElement).value })
  return html`<label>${label} <input type="text" maxlength="200" value=${parameter(name)} onChange=${onChange} /></label>`
}
