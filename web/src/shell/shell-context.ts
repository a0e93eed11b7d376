// What the page table gives the shell: the pages that exist, and the sidebar's rows for them.
import { createContext, use } from 'react'
import type { LucideIcon } from 'lucide-react'
import type { Page } from './page.ts'

export interface ShellRow {
  readonly page: Page
  readonly label: string
  readonly icon: LucideIcon
}

export interface ShellRows {
  readonly groups: readonly { readonly title: string; readonly rows: readonly ShellRow[] }[]
  readonly pages: readonly Page[]
}

export const ShellContext = createContext<ShellRows>({ groups: [], pages: [] })

/** The pages the console has, whoever may see them. */
export function useShellRows(): ShellRows {
  return use(ShellContext)
}
