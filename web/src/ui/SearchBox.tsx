import { TextField } from './Field.tsx'
import { useDebounced } from './use-debounced.ts'
import { t } from '../language/t.ts'

interface SearchBoxProps {
  readonly placeholder: string
  readonly value: string
  /** Called after a pause in typing. */
  readonly onSearch: (text: string) => void
}

/** The search field of a list. */
export function SearchBox({ placeholder, value, onSearch }: SearchBoxProps) {
  const [text, setText] = useDebounced(value, onSearch)
  return (
    <TextField
      label={t('Search')}
      type="search"
      placeholder={placeholder}
      maxLength={100}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
