import { useState } from 'preact/hooks'
import { historyService } from '../../../transport/wire.js'
import { type Failure, type Json, type JsonValue, pathOf } from '../api.js'
import { Choice } from '../choice.js'
import { cellTime, exportList, type Reading, timeZone } from '../csv.js'
import { DateField, PeriodChoice } from '../dates.js'
import { type HistoryEntry, HistoryList, useHistory } from '../history.js'
import { nameOf, ownOrganization } from '../known.js'
import { changedName, projectIn, projectTitleOf } from '../names.js'
import { isOn } from '../navigation.js'
import { ExportButton, Waiting } from '../notice.js'
import type { PageName } from '../page-names.js'
import { useAnyPermission, usePermission } from '../permissions.js'
import { type Query, useQuery } from '../query.js'
import { href, parameter, setParameters } from '../router.js'
import type { ListSpec } from '../rows.js'
import { say, texts } from '../texts.js'
import { UserPicker } from '../user-picker.js'
import { Attention, useUsers } from './attention.js'
import { DOMAINS, PROJECTS, PROVIDERS } from './lists.js'
import { AccessFilter, chosenProject, ProjectChoice } from './project-choice.js'

/** How much there is, and what has changed lately: as far as the caller may see it. */
export const Overview = () => {
  const mayReadHistory = usePermission('event.read')
  const users = useUsers()
  const isForNobody = useAnyPermission('.read') === false
  return (
    <article>
      <h1>{texts.overview}</h1>
      {isForNobody && <p class="notice">{texts.nothingToSee}</p>}
      <div class="cards">
        <People users={users} />
        <Count page="projects" list={PROJECTS} permission="project.read" />
        <Count page="providers" list={PROVIDERS} permission="identity_provider.read" />
        <Count page="domains" list={DOMAINS} permission="domain.read" />
      </div>
      <Attention users={users} />
      {mayReadHistory && <Latest />}
    </article>
  )
}

const Latest = () => {
  const history = useHistory(historyService.listHistory, { size: '8', isLive: true })
  return (
    <section>
      <h2>{texts.recent}</h2>
      <HistoryList history={history} hasObjects isShort />
      <p>
        <a href={href('timeline')}>{texts.allChanges}</a>
      </p>
    </section>
  )
}

interface CardProps {
  readonly page: PageName
  readonly title: string
  readonly query: Pick<Query, 'body' | 'failure' | 'reload'>
  readonly figure: string | number
}

/** How much there is of something. */
const Card = ({ page, title, query, figure }: CardProps) => (
  <section class="card">
    <h2>
      <a href={href(page)}>{title}</a>
    </h2>
    <Waiting query={query} of="line" />
    {query.body && <p class="figure">{figure}</p>}
  </section>
)

/** How many people have roles. */
const People = ({ users }: { readonly users: ReturnType<typeof useUsers> }) => {
  const isShown = usePermission('user.grant.read') && isOn('users')
  const { rows = [], hasMore } = users
  const figure = hasMore ? `> ${rows.length}` : rows.length
  return isShown && <Card page="users" title={texts.people} query={users} figure={figure} />
}

interface CountProps extends Pick<CardProps, 'page'> {
  readonly list: ListSpec
  readonly permission: string
}

/** How many objects a list has, for callers who may see them. */
const Count = ({ page, list: { operation, label }, permission }: CountProps) => {
  const isShown = usePermission(permission) && isOn(page)
  const query = useQuery(isShown ? pathOf(operation, { pageSize: 1 }) : undefined)
  const { totalSizeCapped, totalSize = 0 } = query.body ?? {}
  const figure = totalSizeCapped ? texts.capped : Number(totalSize)
  return isShown && <Card page={page} title={label} query={query} figure={figure} />
}

/** The changes in the organization; new changes appear automatically. */
export const Timeline = () => {
  const [isLive, setLive] = useState(true)
  const project = chosenProject()
  const filter = {
    actor: parameter('actor'),
    user: parameter('user'),
    project_id: parameter('projectId'),
    project_org_id: parameter('projectOrgId'),
    role_key: project && parameter('roleKey'),
    permission: project && parameter('permission'),
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
      <div class="bar fields">
        <PeriodChoice />
        <UserFilter name="actor" label={texts.who} />
        <UserFilter name="user" label={texts.person} />
        <ProjectChoice none={texts.anyProject} />
        {project && <AccessFilter project={project} />}
        <Choice
          text={texts.type}
          value={filter.types}
          options={[
            { value: '', name: texts.anyType },
            ...Object.keys(texts.types).map((value) => ({ value, name: sentenceOf(value, '…') })),
          ]}
          change={(types) => setParameters({ types })}
        />
        <DateField name="from" label={texts.from} isStart hasHour />
        <DateField name="to" label={texts.to} hasHour />
        <button type="button" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {isLive ? texts.live : texts.paused}
        </button>
        <ExportButton save={(reading) => exportTimeline(filter, reading)} />
      </div>
      <HistoryList history={history} hasObjects />
    </article>
  )
}

/** What happened to an object, as a text. */
const sentenceOf = (type: string, object: string): string =>
  say(texts.types[type] ?? type, { object })

interface UserFilterProps {
  /** Parameter of the page that has the id of the user. */
  readonly name: string
  readonly label: string
}

const UserFilter = ({ name, label }: UserFilterProps) => {
  const id = parameter(name)
  return (
    <UserPicker
      label={label}
      chosen={id ? [{ id, name: nameOf(id) }] : []}
      change={([option]) => setParameters({ [name]: option?.id })}
    />
  )
}

const exportTimeline = (filter: Json, reading: Reading): Promise<Failure | undefined> => {
  const head = [
    ...[`${texts.at} (${timeZone})`, texts.organization, texts.who, texts.userId, texts.type],
    ...[texts.concerns, texts.userId, texts.project, texts.role, texts.field, texts.reason],
  ]
  const cells = ({ time, actor, type, object, changes = [], reason = '' }: HistoryEntry) => {
    const user = object['userId'] ? String(object['userId']) : ''
    const project = projectIn({ ...object, id: object['type'] === 'project' && object['id'] })
    const other = String(object['idpId'] ?? object['domain'] ?? object['grantedOrgId'] ?? '')
    const roleKey = object['roleKey'] ? String(object['roleKey']) : ''
    const said = changes.map(
      ({ field, from, to }) =>
        `${changedName(field, project)}: ${formatValue(from)} → ${formatValue(to)}`,
    )
    return [
      ...[cellTime(time), ownOrganization(), nameOf(actor.userId), actor.userId],
      ...[
        sentenceOf(type, user ? nameOf(user) : other || roleKey || project?.projectId || ''),
        user ? nameOf(user) : other,
        user,
      ],
      ...[project ? projectTitleOf(project) : '', roleKey, said.join('; '), reason],
    ]
  }
  const { listHistory } = historyService
  const parameters = { ...filter, order: 'desc' }
  return exportList<HistoryEntry>(
    texts.timeline,
    { operation: listHistory, parameters, head, cells },
    reading,
  )
}

const formatValue = (value: JsonValue | undefined): string =>
  value === undefined ? texts.none : typeof value === 'string' ? value : JSON.stringify(value)
