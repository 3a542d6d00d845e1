import { useEffect, useMemo, useState } from 'preact/hooks'
import { accessService, roleMappingService, userGrantService } from '../../../transport/wire.js'
import type { Failure } from '../api.js'
import { Button } from '../button.js'
import { SearchField } from '../choice.js'
import { readAll } from '../csv.js'
import { dayOf } from '../display.js'
import { GrantButton } from '../grant-dialog.js'
import { useGrid } from '../grid.js'
import { type RoleHolder, type RoleSource, viaOf } from '../held.js'
import { isOwn, nameOf, ownOrganization, type ProjectIds } from '../known.js'
import { UserName } from '../names.js'
import { FailureNotice, More, Waiting } from '../notice.js'
import { usePermission } from '../permissions.js'
import { useRows } from '../query.js'
import { compare, type RoleOption, useRolesOf } from '../roles-field.js'
import { href, parameter, setParameters } from '../router.js'
import { Gap, useDrawn } from '../rows.js'
import { fieldName, say, texts } from '../texts.js'
import { UserPicker } from '../user-picker.js'
import { CellPopover, type OpenCell, type UserGrant } from './cell-popover.js'
import { chosenProject, ProjectChoice, ResourceFilter } from './project-choice.js'

/** A matrix of users and roles of a project: why a role counts or does not, and giving and revoking it. */
export const Matrix = () => {
  const project = chosenProject()
  const scope = project && { ...project, resource: parameter('resource') }
  const userId = parameter('userId')
  const mayGive = usePermission('user.grant.write')
  return (
    <article>
      <header>
        <h1>{texts.matrix}</h1>
        {scope && mayGive && <GrantButton key={JSON.stringify(scope)} project={scope} />}
      </header>
      <div class="bar">
        <ProjectChoice />
        {project && (
          <UserPicker
            label={texts.user}
            chosen={userId ? [{ id: userId, name: nameOf(userId) }] : []}
            change={([option]) => setParameters({ userId: option?.id })}
          />
        )}
        {project && (
          <SearchField
            text={texts.findRoles}
            value={parameter('role')}
            change={(role) => setParameters({ role })}
          />
        )}
        {project && <ResourceFilter />}
      </div>
      {project ? (
        <MatrixOf key={JSON.stringify(project)} project={project} />
      ) : (
        <p class="empty">{texts.chooseProject}</p>
      )}
    </article>
  )
}

/** Most columns that are drawn at once. */
const COLUMNS = 50

interface MatrixProps {
  readonly project: ProjectIds
}

const MatrixOf = ({ project }: MatrixProps) => {
  const { query, roles } = useRolesOf(project)
  const [most, setMost] = useState(COLUMNS)
  const wanted = parameter('role').toLowerCase()
  const found = useMemo(
    () =>
      roles?.filter(({ name, roleKey, group }) =>
        [name, roleKey, group].some((each) => each.toLowerCase().includes(wanted)),
      ) ?? [],
    [query.rows, wanted],
  )
  // Those of a group stand together.
  const columns = useMemo(
    () => found.slice(0, most).toSorted((one, other) => compare(one.group, other.group)),
    [found, most],
  )
  if (!roles) return <Waiting query={query} />
  if (roles.length === 0) return <p class="empty">{texts.emptyRoles}</p>
  const more = () => setMost(most + COLUMNS)
  return (
    <>
      <Users project={project} columns={columns} />
      {found.length > most && <Button text={texts.moreRoles} onClick={more} />}
    </>
  )
}

type Column = Pick<RoleOption, 'roleKey' | 'name' | 'group'>

interface UsersProps extends MatrixProps {
  readonly columns: readonly Column[]
}

const Users = ({ project, columns }: UsersProps) => {
  const { projectId, projectOrgId: owner = ownOrganization() } = project
  const userId = parameter('userId')
  const resource = parameter('resource')
  const grants = useRows<UserGrant>(userGrantService.listUserGrants, {
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': owner,
    'filter.user_id.equals': userId,
    'filter.resource.equals': resource,
    pageSize: 50,
    orderBy: 'user_id',
  })
  const [openCell, setOpenCell] = useState<OpenCell | undefined>()
  // A user without a role is shown too, to check and to give roles.
  const missing = {
    userId,
    projectId,
    projectOrgId: owner,
    state: 'STATE_ACTIVE',
    roles: [],
    resource,
  }
  const { mapped, failure } = useMappedRoles(project)
  // Roles on one resource do not count in the project.
  const held = grants.rows?.filter((grant) => (grant.resource ?? '') === resource)
  const granted = held?.length === 0 && userId ? [missing] : held
  // Users who have roles by groups alone follow the last page of the others.
  const others = grants.hasMore
    ? []
    : [...mapped.keys()].filter((id) => !granted?.some((grant) => grant.userId === id))
  const rows = granted && [...granted, ...others.map((id) => ({ ...missing, userId: id }))]
  const { onScroll, first, end } = useDrawn(rows?.length ?? 0, 40, grants.more)
  const grid = useGrid()
  const groups = [...new Set(columns.map(({ group }) => group))]
  const isGrouped = groups.some((group) => group !== '')
  const heads = isGrouped ? 2 : 1
  return (
    <>
      {failure && <FailureNotice failure={failure} />}
      {!rows && <Waiting query={grants} />}
      {rows?.length === 0 && <p class="empty">{texts.emptyMatrix}</p>}
      {rows && rows.length > 0 && (
        <>
          <p class="none">{texts.matrixHint}</p>
          <section class="window matrix" aria-label={texts.matrix} onScroll={onScroll}>
            <table {...grid} aria-label={texts.matrix} aria-rowcount={rows.length + heads}>
              <thead>
                {isGrouped && (
                  <tr aria-rowindex={1}>
                    <td />
                    {groups.map((group) => (
                      <th
                        key={group}
                        scope="colgroup"
                        colSpan={columns.filter((column) => column.group === group).length}
                      >
                        <bdi>{group}</bdi>
                      </th>
                    ))}
                  </tr>
                )}
                <tr aria-rowindex={heads}>
                  <th scope="col">{fieldName('userId')}</th>
                  {columns.map(({ roleKey, name }) => (
                    <th key={roleKey} scope="col" title={roleKey}>
                      <bdi>{name}</bdi>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                <Gap rows={first} />
                {rows.slice(first, end).map((grant, index) => (
                  <Row
                    key={grant.userId}
                    index={first + index + heads + 1}
                    grant={grant}
                    mapped={mapped.get(grant.userId)}
                    columns={columns}
                    ask={setOpenCell}
                  />
                ))}
                <Gap rows={rows.length - end} />
              </tbody>
            </table>
          </section>
        </>
      )}
      <More query={grants} text={texts.moreUsers} />
      {openCell && (
        <CellPopover
          key={`${openCell.grant.userId}\n${openCell.roleKey}`}
          openCell={openCell}
          close={() => setOpenCell(undefined)}
        />
      )}
    </>
  )
}

interface RowProps {
  /** Place in the table, whose head is the first. */
  readonly index: number
  readonly grant: UserGrant
  /** The roles that groups give the user. */
  readonly mapped: MappedRoles | undefined
  readonly columns: readonly Column[]
  readonly ask: (cell: OpenCell) => void
}

const Row = ({ index, grant, mapped, columns, ask }: RowProps) => {
  const { userId, state } = grant
  const user = nameOf(userId)
  // Rows stay as they are while others are added below: a matrix may have thousands of cells.
  return useMemo(() => {
    const held = new Map(grant.roles.map((role) => [role.roleKey, role]))
    return (
      <tr aria-rowindex={index}>
        <th scope="row">
          <a tabIndex={-1} href={href('user', { userId })}>
            <UserName id={userId} />
          </a>
        </th>
        {columns.map(({ roleKey, name }) => {
          const { kind, text, label, expiresAt, via } = cellOf(
            held.get(roleKey),
            state,
            mapped?.get(roleKey),
          )
          const until = expiresAt && kind === 'on' && say(texts.until, { time: dayOf(expiresAt) })
          return (
            <td key={roleKey}>
              <button
                type="button"
                tabIndex={-1}
                class={`cell ${kind}`}
                aria-label={[`${user}, ${name}: ${label}`, ...(until ? [until] : [])].join(', ')}
                onClick={({ currentTarget }) =>
                  ask({ grant, roleKey, roleName: name, cell: currentTarget, expiresAt, via })
                }
              >
                {text}
                {until && <small>{until}</small>}
                {via && (
                  <small>
                    <bdi>{viaOf({ via })}</bdi>
                  </small>
                )}
              </button>
            </td>
          )
        })}
      </tr>
    )
  }, [index, grant, mapped, columns, user])
}

/** The content of a cell. A role from a group counts, even if the direct grant does not. */
const cellOf = (
  held: UserGrant['roles'][number] | undefined,
  state: string,
  via: RoleSource | undefined,
) => {
  const expiresAt = held?.expiresAt
  if (via) {
    const label = `${texts.counts}, ${viaOf({ via })}`
    return { kind: 'on', text: '●', label, expiresAt: undefined, via }
  }
  if (!held) return { kind: 'no', text: texts.none, label: texts.noRole, expiresAt }
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
  const label = isOver ? texts.expired : state === 'STATE_INACTIVE' ? texts.inactive : texts.counts
  return label === texts.counts
    ? { kind: 'on', text: '●', label, expiresAt }
    : { kind: 'off', text: `○ ${label}`, label, expiresAt }
}

/** The group that gives a role, by the key of the role. */
type MappedRoles = ReadonlyMap<string, RoleSource>

/** The roles of a project that groups give, by user. They are read only where a group gives roles of the project. */
const useMappedRoles = ({ projectId, projectOrgId }: ProjectIds) => {
  const [mapped, setMapped] = useState<ReadonlyMap<string, MappedRoles>>(new Map())
  const [failure, setFailure] = useState<Failure | undefined>()
  const mayRead = usePermission('role_mapping.read')
  const userId = parameter('userId')
  const resource = parameter('resource')
  const filter = { 'filter.project_id.equals': projectId, pageSize: 1 }
  const isRead = mayRead && isOwn({ projectOrgId })
  const mappings = useRows(roleMappingService.listRoleMappings, isRead ? filter : undefined)
  const isMapped = (mappings.rows?.length ?? 0) > 0
  useEffect(() => {
    if (!isMapped) return
    const query = { projectId, userId, resource }
    void readAll<RoleHolder>(accessService.listRoleHolders, query).then((all) => {
      setFailure('failure' in all ? all.failure : undefined)
      const byUser = new Map<string, Map<string, RoleSource>>()
      for (const holder of 'rows' in all ? all.rows : []) {
        const { userId: id, orgId, roleKey, via } = holder
        if (!via || orgId !== ownOrganization() || (holder.resource ?? '') !== resource) continue
        byUser.set(id, (byUser.get(id) ?? new Map()).set(roleKey, via))
      }
      setMapped(byUser)
    })
  }, [isMapped, userId, resource])
  return { mapped, failure: mappings.failure ?? failure }
}
