type Colour = readonly [red: number, green: number, blue: number]

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]
/** Backgrounds of the pages, as in the style sheet: the darker one of light pages, the lighter one of dark pages. */
const LIGHT: Colour = [246, 248, 250]
const DARK: Colour = [28, 33, 40]
/** Contrast of text by WCAG 1.4.3. */
const READABLE = 4.5

const colourOf = (hex: string): Colour => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

/** The relative luminance of WCAG. */
const luminance = (colour: Colour): number => {
  const [red = 0, green = 0, blue = 0] = colour.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours by WCAG: 1 to 21. */
export const contrast = (one: Colour, other: Colour): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The colour, mixed with `towards` until it can be read on `background`. */
const readable = (colour: Colour, background: Colour, towards: Colour): string => {
  const mixed = (share: number): Colour => {
    const part = (at: 0 | 1 | 2) => Math.round(colour[at] + (towards[at] - colour[at]) * share)
    return [part(0), part(1), part(2)]
  }
  let share = 0
  while (contrast(mixed(share), background) < READABLE && share < 1) share += 0.05
  return `rgb(${mixed(Math.min(1, share)).join(' ')})`
}

/** The host's colour; the text on it is black or white, and links and the focus ring are of its kind and readable. */
export const coloursOf = (accent: string): Readonly<Record<string, string>> => {
  const colour = colourOf(accent)
  const light = readable(colour, LIGHT, BLACK)
  const dark = readable(colour, DARK, WHITE)
  return {
    '--primary': accent,
    '--on-primary': contrast(colour, BLACK) > contrast(colour, WHITE) ? '#000' : '#fff',
    '--link': `light-dark(${light}, ${dark})`,
  }
}

/** Colours the page. */
export const paint = (accent: string): void => {
  for (const [name, value] of Object.entries(coloursOf(accent)))
    document.documentElement.style.setProperty(name, value)
}
