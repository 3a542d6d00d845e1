import { useState } from 'preact/hooks'
import * as kinds from '../kinds.js'
import { List } from '../lists/list.js'
import { html } from '../parts/html.js'
import { Denied, FailureNotice } from '../parts/notice.js'
import { call, type Failure, withQuery } from '../state/api.js'
import { usePermitted } from '../state/permitted.js'
import { parameter } from '../state/router.js'
import { texts } from '../texts.js'

/** Refused in any case: for the permission, or else for the missing fields. */
const PROBE = { method: 'POST', path: '/v1/userGrants', body: { validateOnly: true } }

/** A user: all grants, and the way to take them all. */
export const User = () => {
  const userId = parameter('userId')
  const [round, setRound] = useState(0)
  const [failure, setFailure] = useState<Failure | undefined>()
  const [isAsking, setAsking] = useState(false)
  const permitted = usePermitted(PROBE)
  const removeAll = async () => {
    setAsking(false)
    const outcome = await call({
      method: 'POST',
      path: '/v1/userGrants:removeAll',
      body: { userId },
    })
    setFailure('failure' in outcome ? outcome.failure : undefined)
    setRound((last) => last + 1)
  }
  const list = {
    kind: kinds.userGrant,
    path: withQuery('/v1/userGrants', { 'filter.user_id.equals': userId }),
    items: 'userGrants',
    columns: ['projectId', 'projectOrgId', 'roles', 'state'],
    filters: ['projectId', 'roleKey'],
    label: texts.userGrant,
  }
  return html`<article>
    <p class="kind">${texts.user}</p>
    <h1><bdi>${userId}</bdi></h1>
    <${List} ...${list} round=${round} />
    ${permitted !== 'yes' && permitted !== 'unknown' && html`<${Denied} failure=${permitted} />`}
    ${
      permitted === 'yes' &&
      html`<div class="actions start">
      ${
        isAsking
          ? html`<span>${texts.removeAllAsk}</span>
            <button type="button" onClick=${() => setAsking(false)}>${texts.cancel}</button>
            <button type="button" class="danger" onClick=${removeAll}>${texts.confirm}</button>`
          : html`<button type="button" class="danger" onClick=${() => setAsking(true)}>${texts.removeAll}</button>`
      }
    </div>`
    }
    ${failure && html`<${FailureNotice} failure=${failure} />`}
  </article>`
}
