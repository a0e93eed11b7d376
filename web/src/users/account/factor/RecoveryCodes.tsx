import { Download } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useShownOnce } from '../../../ui/use-shown-once.ts'
import { t } from '../../../language/t.ts'

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly username: string
  /** The label of the button that continues. */
  readonly doneLabel: string
  readonly onDone: () => void
}

/** Ten recovery codes, shown only once: leaving them asks until they are saved. */
export function RecoveryCodes({ codes, username, doneLabel, onDone }: RecoveryCodesProps) {
  const text = t('Tollgate recovery codes of {username}\nEach can be used once.\n\n{codes}', {
    username,
    codes: codes.join('\n') + '\n',
  })
  const { box, onSaved } = useShownOnce<HTMLDivElement>()
  const save = () => {
    saveFile('tollgate-recovery-codes.txt', new Blob([text], { type: 'text/plain' }))
    onSaved()
  }
  return (
    <div ref={box} className="space-y-4">
      <Notice tone="warn" title={t('Save your recovery codes now: they are not shown again')}>
        {t('Each of them signs you in once if you lose your device. Keep them apart from it.')}
      </Notice>
      <ul
        aria-label={t('Recovery codes')}
        className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-lg border border-line bg-surface-2 px-4 py-3 font-mono text-sm min-[26rem]:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton value={codes.join('\n')} what={t('recovery codes')} hasLabel onCopied={onSaved} />
        <Button size="sm" icon={Download} onClick={save}>
          {t('Download')}
        </Button>
        <Button tone="primary" onClick={onDone} className="ms-auto">
          {doneLabel}
        </Button>
      </div>
    </div>
  )
}
