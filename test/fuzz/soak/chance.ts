/** Whether something happens that does so with `probability`. */
export const chance = (probability: number): boolean => Math.random() < probability

/** A whole number from 0 up to `below`, exclusive. */
export const pick = (below: number): number => Math.floor(Math.random() * below)

/** Waits for some milliseconds. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Waits until `holds`, for so many milliseconds at the most; whether it does. */
export const soon = async (
  holds: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<boolean> => {
  const end = performance.now() + milliseconds
  while (!(await holds())) {
    if (performance.now() > end) return false
    await pause(50)
  }
  return true
}
