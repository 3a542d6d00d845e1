import { useEffect } from 'preact/hooks'
import { projectService } from '../../../transport/wire.js'
import { pathOf } from '../api.js'
import { FailureNotice } from '../notice.js'
import { useQuery } from '../query.js'
import { parameter, setParameters } from '../router.js'
import { texts } from '../texts.js'

interface ProjectChoiceProps {
  /** Label of no choice. Absent: a single project is chosen automatically. */
  readonly none?: string
}

/** Chooses a project by its name, in the parameter `projectId`. */
export const ProjectChoice = ({ none }: ProjectChoiceProps) => {
  const { rows, failure, hasMore, more } = useQuery(
    pathOf(projectService.listProjects, { pageSize: 1000, orderBy: 'name' }),
    { pages: { items: 'projects', cursor: 'page_token' } },
  )
  const chosen = parameter('projectId')
  const choose = (projectId: string) => setParameters({ projectId })
  useEffect(() => {
    if (hasMore) more()
    const [only, ...others] = rows ?? []
    if (only && others.length === 0 && !hasMore && !chosen && none === undefined)
      choose(String(only['id']))
  }, [hasMore, rows])
  if (failure) return <FailureNotice failure={failure} />
  if (rows?.length === 0) return <p class="empty">{texts.noProjects}</p>
  return (
    <label>
      {texts.project}{' '}
      <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{none ?? texts.none}</option>
        {rows?.map(({ id, name }) => (
          <option key={id} value={String(id)} selected={id === chosen}>
            {String(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
