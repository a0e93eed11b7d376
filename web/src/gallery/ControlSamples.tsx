import { Download, FileUp, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Checkbox, Switch } from '../ui/Checkbox.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { FileButton } from '../ui/FileButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { NumberField, PasswordField, SelectField, TextField } from '../ui/Field.tsx'
import { KeyCap } from '../ui/KeyCap.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { Menu } from '../ui/Menu.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { Timeline } from '../ui/Timeline.tsx'
import { GallerySection } from './GallerySection.tsx'

const nothing = () => undefined
const address = 'TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA'

export function ControlSamples() {
  const [tab, setTab] = useState<'providers' | 'workers'>('providers')
  const [choice, setChoice] = useState<'day' | 'week'>('day')
  const [status, setStatus] = useState('Active')
  return (
    <div className="space-y-8">
      <GallerySection title="Buttons">
        <div className="flex flex-wrap gap-2">
          <Button tone="primary" icon={Plus}>
            Add Number
          </Button>
          <Button icon={Download}>Export CSV</Button>
          <Button tone="ghost">Cancel</Button>
          <Button tone="danger">Delete</Button>
          <Button tone="primary">Save</Button>
          <Button tone="primary" isBusy busyLabel="Saving...">
            Save
          </Button>
          <Button tone="primary" isDisabled>
            Submit
          </Button>
          <Button size="sm">Set Rate</Button>
          <CopyButton value={address} what="address" />
          <FileButton label="Any file" accept="" icon={FileUp} size="sm" onFile={() => undefined}>
            Choose file
          </FileButton>
        </div>
      </GallerySection>
      <GallerySection title="Fields">
        <div className="grid grid-cols-2 gap-3">
          <TextField label="Username" defaultValue="client6" />
          <TextField label="Email" type="email" defaultValue="client6@" error="Invalid email address" />
          <SelectField
            label="Role"
            options={[
              { value: 'user', label: 'user' },
              { value: 'support', label: 'support' },
            ]}
          />
          <NumberField label="Max Connections" defaultValue="5" hint="1 to 100" />
          <PasswordField label="Password" defaultValue="a password" />
        </div>
        <div className="flex flex-wrap gap-4">
          <Checkbox label="Selected" defaultChecked />
          <Checkbox label="Not selected" />
          <Checkbox label="Mixed" isMixed />
          <Switch label="SMPP Access" defaultChecked />
          <Switch label="Off" />
        </div>
      </GallerySection>
      <GallerySection title="Menu, tabs, keys">
        <Tabs
          label="Providers"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'providers', label: 'Providers', content: 'Providers' },
            { value: 'workers', label: 'Worker Status', count: 1, countTone: 'bad', content: 'Workers' },
          ]}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label="Span"
            value={choice}
            onChange={setChoice}
            options={[
              { value: 'day', label: 'Day' },
              { value: 'week', label: 'Week' },
            ]}
          />
          <Menu
            groups={[
              [{ label: 'Edit User', icon: Pencil, key: 'E', onSelect: nothing }],
              (['Active', 'Inactive', 'Suspended'] as const).map((label) => ({
                label,
                statusIcon: (
                  <StatusIcon
                    shape={label === 'Active' ? 'check' : 'minus'}
                    tone={label === 'Active' ? 'ok' : 'idle'}
                  />
                ),
                isChosen: status === label,
                onSelect: () => setStatus(label),
              })),
            ]}
            trigger="More actions for client6"
          />
          <KeyCap>Ctrl K</KeyCap>
          <KeyCap>F8</KeyCap>
        </div>
      </GallerySection>
      <Overlays />
      <GallerySection title="QR code">
        <QrCode text={address} label={`QR code of ${address}`} />
      </GallerySection>
    </div>
  )
}

function Overlays() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'drawer'>()
  const [name, setName] = useState('')
  const close = () => setOpen(undefined)
  return (
    <GallerySection title="Dialog, confirmation, drawer">
      <div className="flex gap-2">
        <Button onClick={() => setOpen('dialog')}>Open dialog</Button>
        <Button onClick={() => setOpen('confirm')}>Open confirmation</Button>
        <Button onClick={() => setOpen('drawer')}>Open drawer</Button>
      </div>
      <Dialog
        isOpen={open === 'dialog'}
        onClose={close}
        title="Add User"
        description="A new account"
        isDirty={name !== ''}
        consequence="The account may sign in at once."
        action={<Button tone="primary">Add User</Button>}
      >
        <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
      </Dialog>
      <ConfirmDialog
        isOpen={open === 'confirm'}
        onClose={close}
        title="Delete +44 909 879 0142?"
        typed={{ word: '+44 909 879 0142', label: 'Type the number to confirm' }}
        confirmLabel="Delete"
        onConfirm={close}
      >
        Messages to it will be refused from now on. Its records and their bills stay.
      </ConfirmDialog>
      <Drawer isOpen={open === 'drawer'} onClose={close} label="Record" position="1 of 3" onNext={nothing}>
        <DrawerHead
          subject="+44 909 879 0142"
          time="19/11/2026 | 14:31 Thu"
          cells={[
            { label: 'Bill', value: '₪1.50' },
            { label: 'Client earns', value: '0.05 USD' },
            { label: 'Settles in', value: '16/11 – 23/11' },
          ]}
        />
        <Timeline
          steps={[
            {
              id: '1',
              time: '14:31:57.482',
              title: 'Received',
              detail: 'submit_sm from supplier1, seq 48213',
            },
            { id: '2', time: '14:31:57.484', title: 'Number matched', since: '+2 ms' },
            {
              id: '3',
              time: '14:31:58.102',
              title: 'Reported',
              detail: 'delivery receipt: DELIVRD',
              since: '+228 ms',
              icon: { shape: 'check', tone: 'ok' },
            },
          ]}
        />
      </Drawer>
    </GallerySection>
  )
}
