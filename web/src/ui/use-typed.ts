import { useRef, type SyntheticEvent } from 'react'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

const controls = 'input:not([type=search], [type=password], [type=file]), textarea, select'

function valueOf(control: Control): string {
  return control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')
    ? String(control.checked)
    : control.value
}

/**
 * Whether a person has typed or chosen something in a form, by the values of its fields. These do not count: what the
 * program fills in, what was changed back, a search, and a password, which is quickly typed again.
 */
export function useTyped() {
  const before = useRef(new Map<Control, string>())
  const touched = useRef(new Set<Control>())
  // A person comes to a field by focus, pointer or key, before its value changes. Until then the program may fill it in.
  const note = (event: SyntheticEvent<HTMLElement>) => {
    for (const control of event.currentTarget.querySelectorAll<Control>(controls))
      if (!touched.current.has(control)) before.current.set(control, valueOf(control))
  }
  const touch = ({ target }: SyntheticEvent<HTMLElement>) => {
    if (!(target instanceof HTMLElement) || !target.matches(controls)) return
    touched.current.add(target as Control)
  }
  return {
    handlers: {
      onFocusCapture: note,
      onPointerDownCapture: note,
      onKeyDownCapture: note,
      onInputCapture: touch,
      onChangeCapture: touch,
    },
    isTyped: () =>
      [...touched.current].some(
        (control) => control.isConnected && valueOf(control) !== (before.current.get(control) ?? ''),
      ),
  }
}
