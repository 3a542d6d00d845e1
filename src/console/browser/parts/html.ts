/** JSX in template literals. */
export { html } from 'htm/preact'
