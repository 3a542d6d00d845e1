import { useEffect } from 'preact/hooks'
import { Choice, SearchField } from '../choice.js'
import { isOwn, type ProjectIds } from '../known.js'
import { FailureNotice } from '../notice.js'
import { type ProjectOption, useProjects } from '../project-picker.js'
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
      resource: undefined,
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
