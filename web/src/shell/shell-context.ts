// The pages and the sidebar's rows: `SignedIn.tsx` gives them to the shell.
import { createContext, use } from 'react'
import type { LucideIcon } from 'lucide-react'
import type { ConsolePage } from './console-page.ts'

export interface ShellRow {
  readonly page: ConsolePage
  readonly label: string
  readonly icon: LucideIcon
  readonly covers?: readonly string[]
}

export interface ShellRows {
  readonly groups: readonly { readonly title: string; readonly rows: readonly ShellRow[] }[]
  readonly pages: readonly ConsolePage[]
}

export const ShellContext = createContext<ShellRows>({ groups: [], pages: [] })

/** All pages and rows, also those that the viewer may not see. */
export function useShellRows(): ShellRows {
  return use(ShellContext)
}
