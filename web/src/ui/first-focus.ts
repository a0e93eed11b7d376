// Where the keyboard starts in a dialog that has just opened (ARIA Authoring Practices, Dialog (Modal) Pattern).

// A segmented control switches what is shown; it is no field to fill in, and its radio buttons are drawn by their labels.
const fieldSelector = ['input:not([type=hidden], .sr-only)', 'textarea', 'select']
  .map((field) => `${field}:not(:disabled)`)
  .join(', ')

/** The chosen one of several radio buttons stands for them all, as it does for Tab. */
function entryOf(field: HTMLElement, fields: readonly HTMLElement[]): HTMLElement {
  if (!(field instanceof HTMLInputElement) || field.type !== 'radio') return field
  const isChosen = (other: HTMLElement) =>
    other instanceof HTMLInputElement && other.name === field.name && other.checked
  return fields.find(isChosen) ?? field
}

/** A field that must be scrolled to would hide what has to be read before it. */
function isInSight(field: HTMLElement, box: HTMLElement): boolean {
  return field.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom
}

/**
 * Gives the focus to the first field with a fault, else to the first field, else to the button that changes nothing,
 * else to the panel itself. On a touch screen the keyboard would cover what is asked, so there only a fault takes it.
 */
export function focusFirst(panel: HTMLElement, body: HTMLElement | null, safest: HTMLElement | null): void {
  const fields = [...(body?.querySelectorAll<HTMLElement>(fieldSelector) ?? [])]
  const [first] = fields
  const wrong = fields.find((field) => field.getAttribute('aria-invalid') === 'true')
  if (wrong) return wrong.focus()
  if (window.matchMedia('(pointer: coarse)').matches) return panel.focus()
  if (!first || !body) return (safest ?? panel).focus()
  const entry = entryOf(first, fields)
  if (isInSight(entry, body)) entry.focus({ preventScroll: true })
  else panel.focus()
}
