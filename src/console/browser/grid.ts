import { useEffect, useRef } from 'preact/hooks'

const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  PageDown: [10, 0],
  PageUp: [-10, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  Home: [0, -1000],
  End: [0, 1000],
}

/** Properties of a table in which Tab reaches one cell, and arrows move to the others. */
export const useGrid = () => {
  const ref = useRef<HTMLTableElement>(null)
  const cellsOf = (row: Element | undefined): readonly HTMLElement[] => [
    ...(row?.querySelectorAll<HTMLElement>('a, button, input') ?? []),
  ]
  const rows = (): readonly Element[] => [
    ...(ref.current?.querySelectorAll('tbody tr:not([aria-hidden])') ?? []),
  ]
  const enter = (cell: HTMLElement | undefined) => {
    for (const each of ref.current?.querySelectorAll<HTMLElement>('tbody [tabindex="0"]') ?? [])
      each.tabIndex = -1
    if (cell) cell.tabIndex = 0
  }
  useEffect(() => {
    if (!ref.current?.querySelector('tbody [tabindex="0"]')) enter(cellsOf(rows()[0])[0])
  })
  return {
    role: 'grid',
    ref,
    onFocusIn: ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.closest('tbody')) enter(target)
    },
    onKeyDown: (event: KeyboardEvent) => {
      const move = MOVES[event.key]
      const cell = event.target instanceof HTMLElement ? event.target : undefined
      const row = cell?.closest('tbody tr')
      if (!move || !cell || !row) return
      event.preventDefault()
      const isMirrored = getComputedStyle(row).direction === 'rtl'
      const within = (at: number, list: readonly unknown[]) =>
        Math.max(0, Math.min(list.length - 1, at))
      const all = rows()
      const to = cellsOf(all[within(all.indexOf(row) + move[0], all)])
      const at = cellsOf(row).indexOf(cell) + move[1] * (isMirrored ? -1 : 1)
      to[within(at, to)]?.focus()
    },
  } as const
}
