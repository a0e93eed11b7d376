import type { ReactNode } from 'react'
import { StatusIcon, type StatusShape, type Tone } from './StatusIcon.tsx'

export interface TimelineEntry {
  readonly id: string
  /** The formatted time. After the first step only the changed part is shown. */
  readonly time: string
  readonly title: string
  /** Details in protocol terms. */
  readonly detail?: ReactNode
  /** '+2 ms' since the step before. */
  readonly since?: string
  /** The status icon of a state instead of a plain node: for the last step or a failure. */
  readonly icon?: { readonly shape: StatusShape; readonly tone: Tone }
}

/** What happened, step by step. Screen readers get the whole times. */
export function Timeline({ steps }: { steps: readonly TimelineEntry[] }) {
  return (
    <ol>
      {steps.map((step, index) => (
        <li key={step.id} className="grid grid-cols-[5.5rem_1rem_1fr_auto] gap-x-2">
          <span className="text-end whitespace-nowrap font-mono text-xs leading-5 text-ink-3">
            <span aria-hidden="true">{changedTimePart(steps[index - 1]?.time, step.time)}</span>
            <span className="sr-only">{step.time}</span>
          </span>
          <span className="flex flex-col items-center">
            <span className="grid h-5 place-items-center">
              {step.icon ? (
                <StatusIcon shape={step.icon.shape} tone={step.icon.tone} />
              ) : (
                <span className="size-1.75 rounded-full bg-accent" />
              )}
            </span>
            {index < steps.length - 1 && <span className="w-px grow bg-accent-line" />}
          </span>
          <div className="min-w-0 pb-3.5">
            <p className="font-medium">{step.title}</p>
            {step.detail !== undefined && <p className="text-xs break-words text-ink-3">{step.detail}</p>}
          </div>
          <span className="text-xs leading-5 text-ink-3">{step.since}</span>
        </li>
      ))}
    </ol>
  )
}

/** "14:31:57.482" then "14:31:57.484" → ".484": the part after the separator where they differ. */
function changedTimePart(before: string | undefined, time: string): string {
  if (before === undefined || before.length !== time.length) return time
  const cut = time.lastIndexOf('.')
  return cut > 0 && before.slice(0, cut) === time.slice(0, cut) ? time.slice(cut) : time
}
