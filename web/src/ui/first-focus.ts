// Where the keyboard starts in a dialog that has just opened (ARIA Authoring Practices, Dialog (Modal) Pattern).

// A segmented control only switches what is shown.
const fieldSelector = ['input:not([type=hidden], [data-switches])', 'textarea', 'select']
  .map((field) => `${field}:not(:disabled)`)
  .join(', ')

/** The checked radio button represents its group, as for the Tab key. */
function entryOf(field: HTMLElement, fields: readonly HTMLElement[]): HTMLElement {
  if (!(field instanceof HTMLInputElement) || field.type !== 'radio') return field
  const isChosen = (other: HTMLElement) =>
    other instanceof HTMLInputElement && other.name === field.name && other.checked
  return fields.find(isChosen) ?? field
}

/** Scrolling to a field would hide the text above it. */
function isInSight(field: HTMLElement, box: HTMLElement): boolean {
  return field.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom
}

/**
 * Focuses the first field with an error, else the one that the dialog was opened for (`data-begin`), else the first field, else the button that changes nothing, else the panel.
 * On a touch screen the keyboard would cover the dialog, so there only a field with an error gets the focus.
 */
export function focusFirst(panel: HTMLElement, body: HTMLElement | null, safest: HTMLElement | null): void {
  const fields = [...(body?.querySelectorAll<HTMLElement>(fieldSelector) ?? [])]
  const [first] = fields
  const wrong =
    fields.find((field) => field.getAttribute('aria-invalid') === 'true') ??
    fields.find((field) => field.dataset['begin'] !== undefined)
  if (wrong) return wrong.focus()
  if (window.matchMedia('(pointer: coarse)').matches) return panel.focus()
  if (!first || !body) return (safest ?? panel).focus()
  const entry = entryOf(first, fields)
  if (isInSight(entry, body)) entry.focus({ preventScroll: true })
  else panel.focus()
}
