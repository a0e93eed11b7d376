// The frame of a signed-in person with its rows. Its script loads beside the session, and the sign-in page never needs it.
import { covered, navGroups } from './nav.ts'
import { pages } from './pages.tsx'
import { AppShell } from './shell/AppShell.tsx'
import { ShellContext, type ShellRows } from './shell/shell-context.ts'

const pageByPath = new Map(pages.map((page) => [page.path, page]))

const shellRows: ShellRows = {
  pages,
  groups: navGroups.map((group) => ({
    title: group.title,
    rows: group.rows.flatMap(({ path, ...row }) => {
      const page = pageByPath.get(path)
      return page ? [{ page, ...row, covers: covered[path] ?? [] }] : []
    }),
  })),
}

/** The shell around the page of the address. */
export function SignedIn() {
  return (
    <ShellContext value={shellRows}>
      <AppShell />
    </ShellContext>
  )
}
