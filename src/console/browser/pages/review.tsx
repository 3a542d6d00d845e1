import { useEffect, useState } from 'preact/hooks'
import { accessService } from '../../../transport/wire.js'
import type { Failure, Json } from '../api.js'
import { Button } from '../button.js'
import { cellTime, exportList, type Reading, readAll, timeZone } from '../csv.js'
import { DateField, DateInput, notAfterNow } from '../dates.js'
import { Time, Value } from '../display.js'
import { type RoleHolder, viaOf } from '../held.js'
import { isOwn, nameOf, type ProjectIds, personOf } from '../known.js'
import { ProjectName, projectTitleOf, UserLink } from '../names.js'
import { ExportButton, FailureNotice, More, Skeleton, Waiting } from '../notice.js'
import { useRows } from '../query.js'
import { type RoleOption, readRoles, useRolesOf } from '../roles-field.js'
import { href, parameter, setParameters } from '../router.js'
import { Table } from '../rows.js'
import { fieldName, Say, texts } from '../texts.js'
import {
  AccessFilter,
  accessIn,
  chosenProject,
  ProjectChoice,
  ResourceFilter,
} from './project-choice.js'

/**
 * Who had which role of a project at a time: over all organizations, or of the own one if another has granted the
 * project. Or what has changed since another time.
 */
export const Review = () => {
  const project = chosenProject()
  const [at, since] = ['at', 'since'].map(parameter)
  const filter = { ...project, ...accessIn(), at, resource: parameter('resource') }
  const key = JSON.stringify([filter, since])
  return (
    <article>
      <h1>{texts.review}</h1>
      <div class="bar no-print">
        <ProjectChoice />
        {project && <AccessFilter project={project} />}
        <DateInput
          text={texts.at}
          at={at || new Date().toISOString()}
          change={(day) => setParameters({ at: day && notAfterNow(day) })}
        />
        <details open={since !== '' || parameter('resource') !== ''}>
          <summary>{texts.moreFilters}</summary>
          <DateField name="since" label={texts.comparedWith} />
          {project && <ResourceFilter />}
        </details>
      </div>
      {!project && <p class="empty">{texts.chooseProject}</p>}
      {project && !since && <ReviewOf key={key} {...{ project, filter, at }} />}
      {project && since && <Comparison key={key} {...{ project, filter, at, since }} />}
    </article>
  )
}

interface ReviewProps {
  readonly project: ProjectIds
  /** What is asked of the server. */
  readonly filter: Json
  readonly at: string | undefined
}

const COLUMNS = ['userId', 'orgId', 'roleKey', 'resource', 'via', 'from', 'expiresAt'] as const

const { listRoleHolders } = accessService

const roleName = (roles: readonly RoleOption[] | undefined, key: string): string =>
  roles?.find(({ roleKey }) => roleKey === key)?.name ?? key

const permissionsOf = (roles: readonly RoleOption[] | undefined, key: string): string =>
  roles?.find(({ roleKey }) => roleKey === key)?.permissions.join(' ') ?? ''

const ReviewOf = ({ project, filter, at }: ReviewProps) => {
  const holders = useRows<RoleHolder>(listRoleHolders, { ...filter, page_size: '1000' })
  const { roles, hasMore: hasMoreRoles } = useRolesOf(project)
  const { rows, hasMore } = holders
  if (!rows) return <Waiting query={holders} />
  const shownAt = at || new Date().toISOString()
  const save = async (reading: Reading) => {
    const all = hasMoreRoles ? await readRoles(project) : { roles }
    if ('failure' in all) return all.failure
    return exportReview({ project, filter, at: shownAt, roles: all.roles }, reading)
  }
  return (
    <>
      <div class="bar">
        <span>
          <Say
            text={texts.reviewAbout}
            project={<ProjectName {...project} />}
            time={<Time at={shownAt} />}
          />
        </span>
        {rows.length > 0 && <ExportButton save={save} />}
        <Button
          text={texts.print}
          look="no-print"
          onClick={() => setTimeout(() => window.print())}
        />
      </div>
      {rows.length === 0 && <p class="empty">{texts.emptyReview}</p>}
      {rows.length > 0 && <Holders holders={rows} {...{ roles, project }} more={holders.more} />}
      {hasMore && (
        <div class="notice">
          {texts.notAll} <More query={holders} />
        </div>
      )}
    </>
  )
}

/** What a row of a comparison is: a role that is new, or one that is gone. */
type Difference = RoleHolder & { readonly mark?: '+' | '−' }

interface HoldersProps {
  readonly holders: readonly Difference[]
  /** Columns that say nothing here. */
  readonly without?: readonly string[]
  readonly roles: readonly RoleOption[] | undefined
  readonly project: ProjectIds
  /** Reads more of them. */
  readonly more?: () => void
}

export const Holders = ({ holders, roles, project, without = [], more }: HoldersProps) => {
  const isSaid = (name: (typeof COLUMNS)[number]) =>
    !without.includes(name) && (name !== 'resource' || holders.some(({ resource }) => resource))
  const role = ({ roleKey }: Difference) => {
    const name = <bdi title={roleKey}>{roleName(roles, roleKey)}</bdi>
    const { projectId } = project
    return isOwn(project) ? <a href={href('role', { projectId, roleKey })}>{name}</a> : name
  }
  const cell = (holder: Difference, name: (typeof COLUMNS)[number]) => {
    if (name === 'via') return viaOf(holder)
    if (name === 'roleKey') return role(holder)
    if (name !== 'userId') return <Value of={holder[name]} field={name} />
    return (
      <>
        {holder.mark && [<Mark of={holder.mark} />, ' ']}
        <UserLink id={holder.userId} />
      </>
    )
  }
  const columns = COLUMNS.filter(isSaid).map((name) => ({
    ...{ name, title: name === 'roleKey' ? texts.role : fieldName(name) },
    cell: (holder: Difference) => cell(holder, name),
  }))
  return <Table label={texts.review} columns={columns} rows={holders} more={more} />
}

const Mark = ({ of }: { readonly of: '+' | '−' }) => (
  <span class={`badge ${of === '+' ? 'add' : 'remove'}`}>
    {of === '+' ? texts.isNew : texts.isGone}
  </span>
)

interface ComparisonProps extends ReviewProps {
  readonly since: string
}

/** The roles that users have gained and lost between two times. */
const Comparison = ({ project, filter, at, since }: ComparisonProps) => {
  const [found, setFound] = useState<readonly Difference[] | undefined>()
  const [failure, setFailure] = useState<Failure | undefined>()
  const { roles } = useRolesOf(project)
  useEffect(() => {
    const read = (time: string | undefined) =>
      readAll<RoleHolder>(listRoleHolders, { ...filter, at: time })
    void Promise.all([read(since), read(at)]).then(([before, after]) => {
      if ('failure' in before) setFailure(before.failure)
      else if ('failure' in after) setFailure(after.failure)
      else setFound(differences(before.rows, after.rows))
    })
  }, [])
  return (
    <>
      <p>
        <Say
          text={texts.compares}
          project={<ProjectName {...project} />}
          from={<Time at={since} />}
          to={<Time at={at || new Date().toISOString()} />}
        />
      </p>
      {!found && !failure && <Skeleton of="rows" />}
      {failure && <FailureNotice failure={failure} />}
      {found?.length === 0 && <p class="empty">{texts.compareNone}</p>}
      {found && found.length > 0 && <Holders holders={found} {...{ roles, project }} />}
    </>
  )
}

/** A user may have a role in several ways. */
const keyOf = ({ orgId, userId, roleKey, resource, via }: RoleHolder): string =>
  JSON.stringify([orgId, userId, roleKey, resource, via?.idpId, via?.group])

const differences = (
  before: readonly RoleHolder[],
  after: readonly RoleHolder[],
): readonly Difference[] => {
  const [past, present] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  return [
    ...after
      .filter((each) => !past.has(keyOf(each)))
      .map((each) => ({ ...each, mark: '+' as const })),
    ...before
      .filter((each) => !present.has(keyOf(each)))
      .map((each) => ({ ...each, mark: '−' as const })),
  ]
}

interface ExportOptions extends Pick<HoldersProps, 'roles'> {
  readonly project: ProjectIds
  readonly filter: Json
  readonly at: string
}

const exportReview = ({ project, filter, at, roles }: ExportOptions, reading: Reading) => {
  const timed = (name: string) => `${fieldName(name)} (${timeZone})`
  const head = [
    ...[texts.user, texts.email, texts.userId, fieldName('orgId'), texts.project, texts.role],
    ...[
      fieldName('permissions'),
      fieldName('roleKey'),
      fieldName('resource'),
      fieldName('via'),
      timed('from'),
      timed('expiresAt'),
      `${texts.at} (${timeZone})`,
    ],
  ]
  const name = projectTitleOf(project)
  const cells = (holder: RoleHolder) => {
    const { userId, orgId, roleKey, resource = '', via, from, expiresAt } = holder
    return [
      ...[nameOf(userId), personOf(userId)?.email ?? '', userId, orgId, name],
      ...[
        roleName(roles, roleKey),
        permissionsOf(roles, roleKey),
        roleKey,
        resource,
        viaOf({ via }),
      ],
      ...[cellTime(from), cellTime(expiresAt), cellTime(at)],
    ]
  }
  return exportList<RoleHolder>(
    `${texts.review} ${name} ${cellTime(at).slice(0, 10)}`,
    { operation: listRoleHolders, parameters: filter, head, cells },
    reading,
  )
}
