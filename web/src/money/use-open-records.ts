import { useNavigate } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { parseSearch } from '../url-state.ts'

/** Opens the records of a path of the records list, as a click on a bar does; a table beside it has the same as a link. */
export function useOpenRecords(): (url: string) => void {
  const navigate = useNavigate()
  return (url) => {
    // The type belongs to the other page's schema; the router only knows that a search is an object.
    void navigate({ to: paths.records, search: parseSearch(url.slice(url.indexOf('?'))) as never })
  }
}
