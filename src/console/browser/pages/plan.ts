import { useState } from 'preact/hooks'
import { RefLink } from '../lists/links.js'
import { html } from '../parts/html.js'
import { FailureNotice } from '../parts/notice.js'
import { Changes } from '../parts/values.js'
import { call, type Failure, type Json } from '../state/api.js'
import { texts } from '../texts.js'

const EXAMPLE = `{
  "projects": [
    { "id": "portal", "name": "Portal", "roles": [{ "roleKey": "editor", "displayName": "Editor" }] }
  ]
}`

/** Shows what a desired state would change, then applies it. Nothing of it is kept in the browser or in a URL. */
export const Plan = () => {
  const [text, setText] = useState('')
  const [failure, setFailure] = useState<Failure | undefined>()
  const [wrong, setWrong] = useState(false)
  const [result, setResult] = useState<{ body: Json; isApplied: boolean } | undefined>()
  const run = async (isApplied: boolean) => {
    const desired = parsed(text)
    setWrong(desired === undefined)
    setFailure(undefined)
    setResult(undefined)
    if (desired === undefined) return
    const outcome = await call({
      method: 'POST',
      path: '/v1/access:apply',
      body: { ...desired, validateOnly: !isApplied },
    })
    if ('ok' in outcome) setResult({ body: outcome.ok.body, isApplied })
    else setFailure(outcome.failure)
  }
  const onFile = async (event: Event) =>
    setText((await (event.target as HTMLInputElement).files?.[0]?.text()) ?? '')
  const changes = ((result?.body['changes'] ?? []) as readonly Json[]).filter(
    ({ action }) => action !== 'unchanged',
  )
  const undeclared = (result?.body['undeclared'] ?? []) as readonly Json[]
  return html`<article><h1>${texts.plan}</h1><p>${texts.planAbout}</p>
    <div class="field"><label for="desired">${texts.desired}</label><textarea id="desired" rows="12" spellcheck="false" placeholder=${EXAMPLE} value=${text} onInput=${(
      event: Event,
    ) => {
      setText((event.target as HTMLTextAreaElement).value)
      setResult(undefined)
    }} aria-invalid=${wrong} aria-describedby="desired-error"></textarea>
      <p class="error" id="desired-error">${wrong && texts.notJson}</p></div>
    <div class="field"><label for="file">${texts.file}</label><input id="file" type="file" accept=".json,application/json" onChange=${onFile} /></div>
    <div class="actions start"><button type="button" class="primary" onClick=${() => void run(false)}>${texts.planPreview}</button>
      ${result && !result.isApplied && changes.length > 0 && html`<button type="button" onClick=${() => void run(true)}>${texts.apply}</button>`}</div>
    ${failure && html`<${FailureNotice} failure=${failure} />`}
    <div role="status">${
      result &&
      html`${result.isApplied && html`<p class="notice">${texts.applied}</p>`}
      <p>${Object.entries((result.body['counts'] ?? {}) as Json)
        .filter(([, count]) => count)
        .map(
          ([action, count]) =>
            html`<span class=${`badge ${action}`}>${String(count)} ${action}</span> `,
        )}</p>
      ${changes.length === 0 && html`<p class="empty">${texts.planNothing}</p>`}
      <ol class="timeline">${changes.map((change) => html`<li><p><span class=${`badge ${change['action']}`}>${String(change['action'])}</span> ${String((change['object'] as Json)['type']).replaceAll('_', ' ')} <${RefLink} object=${change['object']} /> ${change['reason'] && String(change['reason'])}</p><${Changes} changes=${change['fields'] ?? []} /></li>`)}</ol>
      ${undeclared.length > 0 && html`<h2>${texts.undeclared}</h2><ul>${undeclared.map((object) => html`<li>${String(object['type']).replaceAll('_', ' ')} <${RefLink} object=${object} /></li>`)}</ul>`}`
    }</div></article>`
}

const parsed = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Json)
      : undefined
  } catch {
    return undefined
  }
}
