import { useEffect, useState } from 'preact/hooks'
import { accessService } from '../../../transport/wire.js'
import { Button } from '../button.js'
import { SearchField } from '../choice.js'
import { Until } from '../display.js'
import { GrantButton } from '../grant-dialog.js'
import { useGrid } from '../grid.js'
import { type RoleOfUser, type UserWithRoles, viaOf } from '../held.js'
import { nameOf, personOf } from '../known.js'
import { ProjectName, projectTitleOf, UserLink } from '../names.js'
import { FailureNotice, Waiting } from '../notice.js'
import { usePermission } from '../permissions.js'
import { useRows } from '../query.js'
import { parameter, setParameters } from '../router.js'
import { say, sayCount, texts } from '../texts.js'
import { chosenProject, ProjectChoice, ResourceFilter } from './project-choice.js'

/** Users that are drawn first; each press of the button doubles them. */
const DRAWN = 100

/** The users for whom roles count, a line each. Those that are selected are given roles, or lose some. */
export const People = () => {
  const chosenScope = chosenProject()
  const project = chosenScope && { ...chosenScope, resource: parameter('resource') }
  const { users, query, read } = useUsers(parameter('filter').trim().toLowerCase())
  const [most, setMost] = useState(DRAWN)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const mayRead = usePermission('user.grant.read')
  const mayWrite = usePermission('user.grant.write')
  const drawn = users?.slice(0, most)
  const isFiltered = parameter('filter') !== '' || project !== undefined
  const selected = { project, users: [...chosen], done: () => setChosen(new Set()) }
  return (
    <article>
      <header>
        <h1>{texts.users}</h1>
        {/* Shown even without user.grant.write, because some callers may give roles of one project. */}
        {mayRead && chosen.size === 0 && <GrantButton project={project} />}
        {chosen.size > 0 && (
          <div class="actions start">
            <span role="status">{sayCount(texts.chosen, chosen.size)}</span>
            <GrantButton key={`give ${[...chosen]}`} {...selected} />
            <GrantButton key={`take ${[...chosen]}`} way="take" {...selected} />
          </div>
        )}
      </header>
      <search class="bar" aria-label={texts.users}>
        <SearchField
          label={texts.findPeople}
          value={parameter('filter')}
          change={(filter) => setParameters({ filter })}
        />
        <ProjectChoice none={texts.anyProject} />
        {project && <ResourceFilter />}
        {users && (
          <span class="none" role="status">
            {query.hasMore ? say(texts.foundOf, { found: users.length, read }) : users.length}
          </span>
        )}
      </search>
      <Waiting query={query} />
      {query.body && query.failure && <FailureNotice failure={query.failure} />}
      {users?.length === 0 && !query.hasMore && (
        <p class="empty">{isFiltered ? texts.emptyFiltered : texts.emptyUsers}</p>
      )}
      {drawn && drawn.length > 0 && (
        <Table users={drawn} {...{ chosen, setChosen }} isSelecting={mayWrite === true} />
      )}
      {users && (users.length > most || query.hasMore) && (
        <Button
          text={texts.moreUsers}
          onClick={() => {
            setMost(most * 2)
            if (users.length <= most * 2) query.more()
          }}
        />
      )}
    </article>
  )
}

/** The users that match a text, and how many were read. A search reads on to the end: no match is missed. */
const useUsers = (text: string) => {
  const { projectId, projectOrgId } = chosenProject() ?? {}
  const resource = projectId && parameter('resource')
  const filter = { projectId, projectOrgId, resource, pageSize: 500 }
  const query = useRows<UserWithRoles>(accessService.listUsers, filter, { keep: true })
  const { rows, hasMore, failure, more } = query
  useEffect(() => {
    if (text && hasMore && !failure) more()
  }, [text, rows, hasMore])
  const users = text ? rows?.filter((user) => wordsOf(user).includes(text)) : rows
  return { users, query, read: rows?.length ?? 0 }
}

const wordsOf = ({ userId, roles }: UserWithRoles): string =>
  [
    ...[nameOf(userId), personOf(userId)?.email, userId],
    ...roles.flatMap((role) => [
      role.displayName,
      role.roleKey,
      role.resource,
      projectTitleOf(role),
    ]),
  ]
    .join('\n')
    .toLowerCase()

interface TableProps {
  readonly users: readonly UserWithRoles[]
  readonly chosen: ReadonlySet<string>
  readonly setChosen: (chosen: ReadonlySet<string>) => void
  /** Whether users can be selected. */
  readonly isSelecting: boolean
}

const Table = ({ users, chosen, setChosen, isSelecting }: TableProps) => {
  const grid = useGrid()
  const all = users.every(({ userId }) => chosen.has(userId))
  const toggle = (userId: string) => {
    const others = [...chosen].filter((each) => each !== userId)
    setChosen(new Set(chosen.has(userId) ? others : [...others, userId]))
  }
  return (
    <section class="wide people">
      <table {...grid} aria-label={texts.users}>
        <thead>
          <tr>
            {isSelecting && (
              <th scope="col" class="choice">
                <input
                  type="checkbox"
                  aria-label={texts.chooseAll}
                  checked={all}
                  onChange={() => setChosen(new Set(all ? [] : users.map(({ userId }) => userId)))}
                />
              </th>
            )}
            <th scope="col">{texts.user}</th>
            <th scope="col">{texts.roles}</th>
          </tr>
        </thead>
        <tbody>
          {users.map(({ userId, roles }) => (
            <tr key={userId} aria-selected={chosen.has(userId)}>
              {isSelecting && (
                <td class="choice">
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={say(texts.choose, { name: nameOf(userId) })}
                    checked={chosen.has(userId)}
                    onChange={() => toggle(userId)}
                  />
                </td>
              )}
              <th scope="row">
                <UserLink tabIndex={-1} id={userId} />
              </th>
              <td>
                <RolesByProject roles={roles} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const RolesByProject = ({ roles }: Pick<UserWithRoles, 'roles'>) => {
  const projects = new Map(
    roles.map((role) => [JSON.stringify([role.projectOrgId, role.projectId]), role]),
  )
  return [...projects.values()].map(({ projectId, projectOrgId }) => (
    <p key={`${projectOrgId} ${projectId}`} class="badges">
      <ProjectName {...{ projectId, projectOrgId }} />
      {roles
        .filter((role) => role.projectId === projectId && role.projectOrgId === projectOrgId)
        .map((role) => (
          <Role key={JSON.stringify(role)} {...role} />
        ))}
    </p>
  ))
}

const Role = ({ roleKey, displayName, resource, expiresAt, via }: RoleOfUser) => {
  const role = displayName || roleKey
  return (
    <span class="badge" title={via ? viaOf({ via }) : roleKey}>
      <bdi>{resource ? say(texts.onResource, { role, resource }) : role}</bdi>
      {expiresAt && [' · ', <Until at={expiresAt} />]}
      {via && [' · ', <bdi>{viaOf({ via })}</bdi>]}
    </span>
  )
}
