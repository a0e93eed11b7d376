import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { formatCount } from '../format/money.ts'
import { classNames } from './class-names.ts'

export interface Tab<Value extends string> {
  readonly value: Value
  readonly label: string
  /** Shown only where somebody must act. Undefined while it loads: its place is kept, so that little moves. */
  readonly count?: number | undefined
  readonly countTone?: 'bad' | 'warn' | 'idle'
  readonly content: ReactNode
}

export interface TabsProps<Value extends string> {
  /** What the tabs are about. */
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly tabs: readonly Tab<Value>[]
  readonly look?: 'underline' | 'segmented'
}

const countTones = {
  bad: 'bg-bad-soft text-bad-ink',
  warn: 'bg-warn-soft text-warn-ink',
  idle: 'bg-surface-3 text-ink-2',
} as const

/** A small counter beside a label. */
export function Count({ value, tone = 'idle' }: { value: number; tone?: keyof typeof countTones }) {
  return (
    <span
      data-count
      className={classNames(
        'inline-block min-w-4.5 shrink-0 rounded-xs px-1 text-center text-xs font-medium',
        countTones[tone],
      )}
    >
      {formatCount(value)}
    </span>
  )
}

/** On a phone the selected tab may be out of sight, or get there when a font or counter makes the tabs wider. */
function scrollIntoSight(tab: HTMLElement | null): (() => void) | undefined {
  const list = tab?.parentElement
  if (!tab || !list) return undefined
  const observer = new ResizeObserver(() => {
    const left = tab.offsetLeft - list.offsetLeft
    const beyond = left + tab.offsetWidth - list.clientWidth
    list.scrollLeft = Math.min(Math.max(list.scrollLeft, beyond), left)
  })
  for (const one of [list, ...list.children]) observer.observe(one)
  return () => observer.disconnect()
}

/** Tabs: underlined, or segmented as on the sign-in page. On a phone they scroll sideways, elsewhere they go on in another line. */
export function Tabs<Value extends string>({
  label,
  value,
  onChange,
  tabs,
  look = 'underline',
}: TabsProps<Value>) {
  const isUnderline = look === 'underline'
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as Value)}>
      {/*
        The line does not belong to the list: tabs extend at both ends, so that a focus ring does not touch the text.
      */}
      <div className={classNames(isUnderline && 'border-b border-line')}>
        <Radix.List
          aria-label={label}
          className={
            isUnderline
              ? '-mx-1.5 -mb-px flex gap-x-2 min-[36rem]:flex-wrap max-[36rem]:overflow-x-auto [scrollbar-width:none]'
              : 'grid auto-cols-fr grid-flow-col rounded-lg border border-line bg-surface-3 p-0.5'
          }
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              {...(tab.value === value && { ref: scrollIntoSight })}
              className={
                isUnderline
                  ? 'relative flex h-9 shrink-0 items-center gap-2 rounded-t-sm px-1.5 font-medium text-ink-3 -outline-offset-2 after:absolute after:inset-x-1.5 after:bottom-0 after:h-0.5 after:rounded-full hover:text-ink data-[state=active]:text-ink data-[state=active]:after:bg-accent pointer-coarse:h-11'
                  : 'h-(--control) rounded-md font-medium text-ink-2 hover:text-ink data-[state=active]:bg-surface data-[state=active]:text-ink data-[state=active]:shadow-card'
              }
            >
              {tab.label}
              {'count' in tab && tab.count === undefined && <span className="w-5.5" />}
              {(tab.count ?? 0) > 0 && <Count value={tab.count ?? 0} tone={tab.countTone ?? 'idle'} />}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-4 -outline-offset-2">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
