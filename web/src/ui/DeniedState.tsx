import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { t } from '../language/t.ts'

interface DeniedStateProps {
  /** The specification's text. */
  readonly children: ReactNode
  /** As the only heading of the page. */
  readonly isPage?: boolean
}

/** Shown instead of what the viewer may not see. Visual language §10. */
export function DeniedState({ children, isPage = false }: DeniedStateProps) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div
      className={classNames(
        'flex flex-col items-center justify-center gap-3 px-6 py-8 text-center',
        isPage && 'min-h-[60dvh]',
      )}
    >
      <Lock size={20} strokeWidth={1.6} aria-hidden="true" className="text-ink-3" />
      <div className="max-w-80 space-y-1">
        <Title className="text-md font-semibold">{t('Access Denied')}</Title>
        <p className="text-balance text-ink-3">{children}</p>
      </div>
    </div>
  )
}
