import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  accessService,
  projectRoleService,
  projectService,
  userGrantService,
  type WireMethod,
} from '../../../transport/wire.js'
import { call, type JsonValue, type Outcome, pathOf, type StoredObject } from '../api.js'
import { Button, FailureNotice, Time, TimeField, Value, Waiting } from '../display.js'
import { type Query, useQuery } from '../query.js'
import { href, parameter, setParameters } from '../router.js'
import { fieldName, texts } from '../texts.js'

/** Users by roles of a project, and why a role counts or does not. */
export const Matrix = () => {
  const projectId = parameter('projectId')
  return (
    <article>
      <h1>{texts.matrix}</h1>
      <div class="bar">
        <ProjectChoice />
      </div>
      {projectId ? (
        <MatrixOf key={projectId} projectId={projectId} />
      ) : (
        <p class="empty">{texts.chooseProject}</p>
      )}
    </article>
  )
}

/** Chooses a project by its name. */
const ProjectChoice = () => {
  const projects = useQuery(
    pathOf(projectService.listProjects, { pageSize: 1000, orderBy: 'name' }),
    {
      pages: { items: 'projects', cursor: 'page_token' },
    },
  )
  const { rows = [], failure, hasMore, more } = projects
  useEffect(() => {
    if (hasMore) more()
  }, [hasMore, rows])
  const chosen = parameter('projectId')
  if (failure) return <FailureNotice failure={failure} />
  return (
    <label>
      {texts.choose}{' '}
      <select
        value={chosen}
        onChange={({ currentTarget }) => setParameters({ projectId: currentTarget.value })}
      >
        <option value="">{texts.none}</option>
        {rows.map(({ id, name }) => (
          <option key={id} value={String(id)} selected={id === chosen}>
            {String(name)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface OfProject {
  readonly projectId: string
}

const MatrixOf = ({ projectId }: OfProject) => {
  const page = { pageSize: 50, orderBy: 'role_key' }
  const path = pathOf(projectRoleService.listProjectRoles, { projectId, ...page })
  const roles = useQuery<StoredObject>(path, {
    pages: { items: 'projectRoles', cursor: 'page_token' },
  })
  if (!roles.rows) return <Waiting query={roles} />
  const owner = roles.rows[0]?.details.resourceOwner
  if (!owner) return <p class="empty">{texts.emptyMatrix}</p>
  return <Users projectId={projectId} owner={owner} roles={roles} />
}

type UserGrant = StoredObject & {
  readonly userId: string
  readonly projectOrgId: string
  readonly state: string
  readonly roles: readonly { readonly roleKey: string; readonly expiresAt?: string }[]
}

/** A role of a user that the matrix explains. */
type Chosen = {
  readonly userId: string
  readonly projectOrgId: string
  readonly roleKey: string
}

interface Check {
  readonly allowed?: boolean
  readonly reasons?: readonly { readonly kind: string }[]
  /** Absent where the caller may not read history. */
  readonly because?: readonly {
    readonly sequence: string
    readonly time: string
    readonly type: string
    readonly actor?: { readonly userId: string }
  }[]
}

const explain = async (question: Chosen & OfProject): Promise<Outcome<Check>> => {
  const ask = (method: WireMethod) =>
    call<Check>({ method: 'GET', path: pathOf(method, { ...question }) })
  const explained = await ask(accessService.explainAccess)
  const isForbidden = 'failure' in explained && explained.failure.status === 403
  return isForbidden ? ask(accessService.checkAccess) : explained
}

interface UsersProps extends OfProject {
  /** The organization of the project. Another one may have a project of the same id. */
  readonly owner: string
  readonly roles: Query<StoredObject>
}

const Users = ({ projectId, owner, roles }: UsersProps) => {
  const filter = {
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': owner,
    pageSize: 50,
    orderBy: 'user_id',
  }
  const grants = useQuery<UserGrant>(pathOf(userGrantService.listUserGrants, filter), {
    pages: { items: 'userGrants', cursor: 'page_token' },
  })
  const [asked, setAsked] = useState<WhyProps | undefined>()
  const ask = async (chosen: Chosen) => {
    setAsked({ chosen, outcome: await explain({ projectId, ...chosen }) })
  }
  const keys = useMemo(() => roles.rows?.map(({ roleKey }) => String(roleKey)) ?? [], [roles.rows])
  if (!grants.rows) return <Waiting query={grants} />
  if (grants.rows.length === 0) return <p class="empty">{texts.emptyMatrix}</p>
  return (
    <>
      <p class="none">{texts.whyHint}</p>
      <section class="wide matrix" tabIndex={0} aria-label={texts.matrix}>
        <table>
          <thead>
            <tr>
              <th scope="col">{fieldName('userId')}</th>
              {keys.map((key) => (
                <th key={key} scope="col">
                  <bdi>{key}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {grants.rows.map((grant) => (
              <Row key={grant.userId} grant={grant} keys={keys} ask={ask} />
            ))}
          </tbody>
        </table>
      </section>
      {grants.hasMore && <Button text={texts.moreUsers} onClick={grants.more} />}{' '}
      {roles.hasMore && <Button text={texts.moreRoles} onClick={roles.more} />}
      <div role="status">{asked && <Why {...asked} />}</div>
    </>
  )
}

interface RowProps {
  readonly grant: UserGrant
  readonly keys: readonly string[]
  readonly ask: (chosen: Chosen) => void
}

const Row = ({ grant, keys, ask }: RowProps) => {
  const { userId } = grant
  // Rows stay as they are while others are added below: a matrix may have thousands of cells.
  return useMemo(
    () => (
      <tr>
        <th scope="row" title={userId}>
          <a href={href('user', { userId })}>
            <bdi>{userId}</bdi>
          </a>
        </th>
        {keys.map((roleKey) => (
          <td key={roleKey}>
            <Cell grant={grant} roleKey={roleKey} ask={ask} />
          </td>
        ))}
      </tr>
    ),
    [grant, keys],
  )
}

interface CellProps extends Pick<RowProps, 'grant' | 'ask'> {
  readonly roleKey: string
}

const Cell = ({ grant, roleKey, ask }: CellProps) => {
  const { kind, mark, label, expiresAt } = cellOf(grant, roleKey)
  const { userId, projectOrgId } = grant
  const isOff = kind === 'off'
  return (
    <button
      type="button"
      class={`cell ${kind}`}
      onClick={() => ask({ userId, projectOrgId, roleKey })}
    >
      <span aria-hidden="true">{mark} </span>
      <span class={isOff ? 'none' : 'hidden'}>
        {isOff ? label : `${userId}, ${roleKey}: ${label}`}
      </span>
      {expiresAt && (
        <small>
          {texts.until} <Time at={expiresAt} />
        </small>
      )}
    </button>
  )
}

const cellOf = ({ roles, state }: UserGrant, roleKey: string) => {
  const held = roles.find((role) => role.roleKey === roleKey)
  if (!held) return { kind: 'no', mark: '–', label: texts.noRole }
  const { expiresAt } = held
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    return { kind: 'off', mark: '○', label: texts.expired, expiresAt }
  if (state === 'STATE_INACTIVE')
    return { kind: 'off', mark: '○', label: texts.inactive, expiresAt }
  return { kind: 'on', mark: '●', label: texts.counts, expiresAt }
}

interface WhyProps {
  readonly chosen: Chosen
  readonly outcome: Outcome<Check>
}

const Why = ({ chosen: { userId, roleKey }, outcome }: WhyProps) => {
  if ('failure' in outcome) return <FailureNotice failure={outcome.failure} />
  const { allowed, reasons = [], because = [] } = outcome.body
  return (
    <section class="notice">
      <h2>{texts.why}</h2>
      <p>
        <bdi>{allowed ? texts.allowed(userId, roleKey) : texts.refused(userId, roleKey)}</bdi>
      </p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ kind }) => (
            <li key={kind}>{texts.reasons[kind] ?? kind}</li>
          ))}
        </ul>
      )}
      {because.length > 0 && (
        <ol>
          {because.map(({ sequence, time, type, actor }) => (
            <li key={sequence}>
              {texts.types[type] ?? type}
              {actor && (
                <>
                  {' '}
                  {texts.who.toLowerCase()} <bdi>{actor.userId}</bdi>
                </>
              )}
              , <Time at={time} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** Who had which role of a project at a time, over all organizations. */
export const Review = () => {
  const projectId = parameter('projectId')
  const at = parameter('at')
  return (
    <article>
      <h1>{texts.review}</h1>
      <div class="bar no-print">
        <ProjectChoice /> <TimeField name="at" label={texts.at} />
      </div>
      {projectId ? (
        <ReviewOf key={`${projectId} ${at}`} projectId={projectId} at={at} />
      ) : (
        <p class="empty">{texts.chooseProject}</p>
      )}
    </article>
  )
}

const COLUMNS = ['userId', 'orgId', 'roleKey', 'from', 'expiresAt'] as const

type RoleHolder = { readonly [column in (typeof COLUMNS)[number]]?: JsonValue }

const ReviewOf = ({ projectId, at }: OfProject & { readonly at: string }) => {
  const path = pathOf(accessService.listRoleHolders, { projectId, at, pageSize: 1000 })
  const holders = useQuery<RoleHolder>(path, {
    pages: { items: 'roleHolders', cursor: 'page_token' },
  })
  const { rows, hasMore, more } = holders
  if (!rows) return <Waiting query={holders} />
  return (
    <>
      <div class="bar">
        <span>
          <bdi>{texts.reviewAbout(projectId)}</bdi>, <Time at={at || new Date().toISOString()} />
        </span>
        <button type="button" class="no-print" onClick={() => window.print()}>
          {texts.print}
        </button>
      </div>
      {rows.length === 0 && <p class="empty">{texts.emptyReview}</p>}
      {rows.length > 0 && (
        <section class="wide" tabIndex={0} aria-label={texts.review}>
          <table>
            <thead>
              <tr>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col">
                    {fieldName(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((holder) => (
                <tr>
                  {COLUMNS.map((name) => (
                    <td key={name}>
                      <Value of={holder[name]} field={name} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {hasMore && (
        <p class="notice">
          {texts.notAll} <Button text={texts.more} onClick={more} />
        </p>
      )}
    </>
  )
}
