import { useEffect } from 'preact/hooks'
import { Choice, SearchField } from '../choice.js'
import { isOwn, type ProjectIds, roleNameOf } from '../known.js'
import { FailureNotice } from '../notice.js'
import { type Option, Picker } from '../picker.js'
import { type ProjectOption, useProjects } from '../project-picker.js'
import { type RoleOption, useRolesOf } from '../roles-field.js'
import { parameter, setParameters } from '../router.js'
import { fieldName, texts } from '../texts.js'

/** The project that a page is about; undefined while none is chosen. */
export const chosenProject = (): ProjectIds | undefined => {
  const [projectId, projectOrgId] = [parameter('projectId'), parameter('projectOrgId')]
  return projectId
    ? { projectId, projectOrgId: isOwn({ projectOrgId }) ? undefined : projectOrgId }
    : undefined
}

/** Asks for one resource of the project, in the parameter `resource`. */
export const ResourceFilter = () => (
  <SearchField
    text={fieldName('resource')}
    isLazy
    value={parameter('resource')}
    change={(resource) => setParameters({ resource: resource.trim() })}
  />
)

/** The role or the permission that is asked for. */
export const accessIn = () => ({
  roleKey: parameter('roleKey'),
  permission: parameter('permission'),
})

interface Access extends Option {
  readonly filter: { readonly roleKey?: string; readonly permission?: string }
}

const rightOf = (permission: string): Access => ({
  ...{ id: `permission ${permission}`, name: permission, detail: fieldName('permission') },
  filter: { permission },
})

/** Chooses a role by its name, or a permission that any role gives; a permission of the past is typed. */
export const AccessFilter = ({ project }: { readonly project: ProjectIds }) => {
  const { roles = [] } = useRolesOf(project)
  const { roleKey, permission } = accessIn()
  const roleOf = ({ roleKey, name }: Pick<RoleOption, 'roleKey' | 'name'>): Access => ({
    ...{ id: `role ${roleKey}`, name, detail: texts.role, filter: { roleKey } },
  })
  const all = [
    ...roles.map(roleOf),
    ...[...new Set(roles.flatMap(({ permissions }) => permissions))].map(rightOf),
  ]
  const find = async (text: string) => {
    const wanted = text.toLowerCase()
    return all.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, OFFERED)
  }
  const chosen = [
    ...(roleKey ? [roleOf({ roleKey, name: roleNameOf(project, roleKey) })] : []),
    ...(permission ? [rightOf(permission)] : []),
  ]
  const none = { roleKey: undefined, permission: undefined }
  return (
    <Picker<Access>
      label={texts.roleOrPermission}
      chosen={chosen}
      change={([access]) => setParameters({ ...none, ...access?.filter })}
      find={find}
      take={async (text) => rightOf(text)}
    />
  )
}

/** Most roles and permissions that are offered at once. */
const OFFERED = 50

interface ProjectChoiceProps {
  /** Label of no choice. Absent: a single project is chosen automatically. */
  readonly none?: string
}

/** Chooses a project by its name, in the parameters `projectId` and `projectOrgId`. */
export const ProjectChoice = ({ none }: ProjectChoiceProps) => {
  const { projects, failure, readMore } = useProjects()
  const chosen = chosenProject()
  const choose = (project: ProjectOption | undefined) =>
    setParameters({
      projectId: project?.projectId,
      projectOrgId: project?.projectOrgId,
      ...{ resource: undefined, roleKey: undefined, permission: undefined },
    })
  useEffect(() => {
    readMore?.()
    const [only, ...others] = projects ?? []
    if (only && others.length === 0 && !readMore && !chosen && none === undefined) choose(only)
  }, [readMore, projects === undefined])
  if (failure) return <FailureNotice failure={failure} />
  if (projects?.length === 0) return <p class="empty">{texts.noProjects}</p>
  const isChosen = ({ projectId, projectOrgId }: ProjectOption) =>
    projectId === chosen?.projectId && projectOrgId === chosen.projectOrgId
  const at = projects?.findIndex(isChosen) ?? -1
  return (
    <Choice
      text={texts.project}
      value={at}
      options={[
        { value: -1, name: none ?? texts.none },
        ...(projects ?? []).map(({ name }, value) => ({ value, name })),
      ]}
      change={(index) => choose(projects?.[Number(index)])}
    />
  )
}
