import { useRef, useState } from 'react'
import { LeaveQuestion } from './LeaveQuestion.tsx'
import { Tabs, type TabsProps } from './Tabs.tsx'
import { hasUnsavedWithin } from './unsaved.ts'

/** Tabs that are not in the address, so that nobody else asks before another one drops what was typed in the open one. */
export function GuardedTabs<Value extends string>({ onChange, ...tabs }: TabsProps<Value>) {
  const box = useRef<HTMLDivElement>(null)
  const [requested, setRequested] = useState<Value>()
  return (
    <div ref={box}>
      <Tabs
        {...tabs}
        onChange={(next) => (hasUnsavedWithin(box.current) ? setRequested(next) : onChange(next))}
      />
      {requested !== undefined && (
        <LeaveQuestion
          onStay={() => setRequested(undefined)}
          onLeave={() => {
            setRequested(undefined)
            onChange(requested)
          }}
        />
      )}
    </div>
  )
}
