import { useState } from 'preact/hooks'
import {
  domainService,
  historyService,
  identityProviderService,
  projectService,
  userGrantService,
  type WireMethod,
} from '../../../transport/wire.js'
import { pathOf } from '../api.js'
import { TimeField, Waiting } from '../display.js'
import { HistoryList, useHistory } from '../history.js'
import type { PageName } from '../object-types.js'
import { useQuery } from '../query.js'
import { href, parameter, setParameters } from '../router.js'
import { texts } from '../texts.js'

/** How much there is, and what has changed lately. */
export const Overview = () => {
  const history = useHistory(historyService.listHistory, { size: '8', isLive: true })
  return (
    <article>
      <h1>{texts.overview}</h1>
      <div class="cards">
        <Count
          page="providers"
          operation={identityProviderService.listIdentityProviders}
          label={texts.providers}
        />
        <Count page="projects" operation={projectService.listProjects} label={texts.projects} />
        <Count page="users" operation={userGrantService.listUserGrants} label={texts.userGrants} />
        <Count page="domains" operation={domainService.listDomains} label={texts.domains} />
      </div>
      <h2>{texts.recent}</h2>
      <HistoryList history={history} hasObjects />
      <p>
        <a href={href('timeline')}>{texts.allChanges}</a>
      </p>
    </article>
  )
}

interface CountProps {
  readonly page: PageName
  readonly operation: WireMethod
  readonly label: string
}

const Count = ({ page, operation, label }: CountProps) => {
  const query = useQuery(pathOf(operation, { pageSize: 1 }))
  return (
    <section class="card">
      <h2>
        <a href={href(page)}>{label}</a>
      </h2>
      <Waiting query={query} />
      {query.body && (
        <p class="figure">
          {query.body['totalSizeCapped'] ? texts.capped : Number(query.body['totalSize'] ?? 0)}
        </p>
      )}
    </section>
  )
}

/** Who changed what in the organization; new changes come by themselves. */
export const Timeline = () => {
  const [isLive, setLive] = useState(true)
  const filter = {
    actor: parameter('actor'),
    types: parameter('types'),
    'time.from': parameter('from'),
    'time.to': parameter('to'),
  }
  const history = useHistory(historyService.listHistory, {
    filter,
    isLive: isLive && !filter['time.to'],
  })
  return (
    <article>
      <h1>{texts.timeline}</h1>
      <div class="bar">
        <label>
          {texts.who}{' '}
          <input
            type="text"
            maxLength={200}
            value={filter.actor}
            onChange={({ currentTarget }) => setParameters({ actor: currentTarget.value })}
          />
        </label>{' '}
        <label>
          {texts.type}{' '}
          <select
            value={filter.types}
            onChange={({ currentTarget }) => setParameters({ types: currentTarget.value })}
          >
            <option value="">{texts.anyType}</option>
            {Object.entries(texts.types).map(([type, name]) => (
              <option key={type} value={type} selected={type === filter.types}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <TimeField name="from" label={texts.from} /> <TimeField name="to" label={texts.to} />
        <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {isLive ? texts.live : texts.paused}
        </button>
      </div>
      <HistoryList history={history} hasObjects />
    </article>
  )
}
