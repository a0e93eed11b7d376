import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'

interface SubmitButtonProps {
  readonly isBusy: boolean
  readonly busyLabel: string
  readonly isDisabled?: boolean
  readonly children: ReactNode
}

/** The button of a form that is a page of its own: as wide as its fields. */
export function SubmitButton(props: SubmitButtonProps) {
  return <Button type="submit" tone="primary" size="lg" className="w-full" {...props} />
}
