import { isValidElement, type ReactNode } from 'react'

/** What one sees of it; of a component of ours nothing. */
function seenText(content: ReactNode): string {
  if (typeof content === 'string' || typeof content === 'number') return String(content)
  if (Array.isArray(content)) return content.map(seenText).join('')
  return isValidElement<{ children?: ReactNode }>(content) ? seenText(content.props.children) : ''
}

/**
 * The name of a link that says more than one sees of it: whoever speaks to the browser says the visible words, so they come
 * first (WCAG 2.5.3).
 */
export function linkName(seen: ReactNode, label: string): string {
  const text = seenText(seen).trim()
  return text === '' || label.includes(text) ? label : `${text}, ${label}`
}
