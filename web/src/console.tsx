import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Direction } from 'radix-ui'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-policy.ts'
import { SessionProvider } from './api/session.tsx'
import { pageDirection } from './language/start.ts'
import { createConsoleRouter } from './router.tsx'
import './styles.css'
import { Toasts } from './ui/Toasts.tsx'
import { TooltipProvider } from './ui/Tooltip.tsx'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no #root')

createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <SessionProvider>
        <Direction.Provider dir={pageDirection()}>
          <TooltipProvider>
            <RouterProvider router={createConsoleRouter()} />
            <Toasts />
          </TooltipProvider>
        </Direction.Provider>
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
)
