import type { LucideIcon } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { Button } from './Button.tsx'

interface FileButtonProps {
  /** The name of the file field: 'File of rates'. */
  readonly label: string
  /** Endings and media types, comma-separated. */
  readonly accept: string
  readonly icon: LucideIcon
  readonly size?: 'sm' | 'md'
  readonly onFile: (file: File) => void
  /** The words on the button. */
  readonly children: ReactNode
}

/** Asks for a file. */
export function FileButton({ label, accept, icon, size = 'md', onFile, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size={size} icon={icon} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) onFile(file)
          // Reset, so that the same file can be chosen again after a change.
          event.target.value = ''
        }}
      />
    </>
  )
}
