// What the page table gives the shell: the pages that exist, and the sidebar's rows for them.
import { createContext, use, type ComponentType } from 'react'
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
  /** What opens behind 'Your account'. */
  readonly Account: ComponentType<{ readonly onClose: () => void; readonly isFactorFirst?: boolean }>
}

export const ShellContext = createContext<ShellRows>({ groups: [], pages: [], Account: () => null })

/** The pages the console has, whoever may see them. */
export function useShellRows(): ShellRows {
  return use(ShellContext)
}
