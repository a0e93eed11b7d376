import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { t } from '../language/t.ts'

interface PrintSheetProps {
  /** The title at the top right: 'SMS Record', 'Records Report', 'Statement'. */
  readonly title: string
  readonly children: ReactNode
}

/** The printed version: A4, black on white, without colours and shadows. Visual language §14. */
export function PrintSheet({ title, children }: PrintSheetProps) {
  return createPortal(
    <div data-print-sheet aria-hidden="true" className="hidden text-[9pt] leading-[13pt] print:block">
      <header className="flex justify-between border-b pb-2 text-[12pt] font-semibold">
        <span>{t('Tollgate')}</span>
        <span>{title}</span>
      </header>
      <div className="pt-4">{children}</div>
    </div>,
    document.body,
  )
}
