import { Option, type Command } from 'commander';
import { webhookEvents } from '@portico/domain';
import {
  addWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  rotateWebhook,
  setWebhook,
  showWebhook,
  testWebhook,
  type WebhookOptions,
} from '../commands/webhooks.ts';
import type { Tool } from '../tool.ts';
import { administer } from './administer.ts';

/** Adds the commands for webhooks. */
export const addWebhooks = (tool: Tool): void => {
  const webhooks = tool.program.command('webhooks').description('events that are sent to other systems');
  administer(tool, webhooks.command('list').description('list the webhooks, oldest first'), listWebhooks);
  const add = withFields(webhooks.command('add').argument('<url>', 'the address that receives the events'))
    .option('--inactive', 'send no events yet')
    .description('create a webhook and print its secret, which is shown only this once');
  administer(tool, add, (api, terminal, url: string, { inactive, ...options }: WebhookOptions & { inactive?: true }) =>
    addWebhook(api, terminal, url, { ...options, active: inactive !== true }),
  );
  const webhookCommand = (name: string, description: string) =>
    webhooks.command(name).argument('<id>', 'its id or address').description(description);
  administer(tool, webhookCommand('show', 'show a webhook'), showWebhook);
  const set = withFields(webhookCommand('set', 'change a webhook'))
    .option('--url <url>', 'the address that receives the events')
    .option('--active', 'send events')
    .option('--no-active', 'send no events; those that occur meanwhile are lost');
  administer(tool, set, (api, terminal, id: string, options: WebhookOptions) => setWebhook(api, terminal, id, options));
  administer(tool, webhookCommand('delete', 'delete a webhook with its waiting events'), deleteWebhook);
  const rotate = webhookCommand('rotate', 'replace the secret and print the new one; the previous one signs for 24 h');
  administer(tool, rotate, rotateWebhook);
  administer(tool, webhookCommand('test', 'send the event webhook.test now, and print the result'), testWebhook);
  administer(tool, webhookCommand('deliveries', 'list the last 50 attempts, newest first'), listDeliveries);
};

const withFields = (command: Command): Command =>
  command
    .addOption(new Option('--event <event...>', 'the events that are sent; by default all').choices(webhookEvents))
    .option('--description <text>', 'a note for administrators');
