import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Spec §9: tooltips open after 700 ms, and the next one within 300 ms at once. Wraps the whole console. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  )
}

interface TooltipProps {
  readonly text: ReactNode
  readonly isMono?: boolean
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  /** One element that takes a ref and focus. */
  readonly children: ReactNode
}

export function Tooltip({ text, isMono = false, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className={`appear z-50 max-w-80 rounded-sm bg-ink px-2 py-1.5 text-xs break-words text-canvas ${isMono ? 'font-mono' : ''}`}
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
