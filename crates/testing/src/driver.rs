//! A driver as a preprocessed text of any length, as tools that simplify C print such ones: declarations of a kernel that
//! nobody uses, register tables, operations called through tables of function pointers, lists, locks, and a small part
//! that the property depends on.

use std::fmt::Write;

/// Numbers that look arbitrary and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// The text of a driver with at least so many lines. Its property holds if it is `safe`.
pub fn driver(lines: usize, safe: bool) -> String {
    let mut out = String::from(HEAD);
    let mut numbers = Numbers(lines as u64);
    let count = |s: &str| s.bytes().filter(|b| *b == b'\n').count();
    let tail = tail(safe);
    let fixed = count(&tail);
    let mut units = 0;
    let mut so_far = count(&out);
    while units < 4 || so_far + fixed < lines {
        let before = out.len();
        unit(&mut out, units, &mut numbers);
        so_far += count(&out[before..]);
        units += 1;
    }
    table(&mut out, units);
    out + &tail
}

/// Types and functions of the kernel.
const HEAD: &str = r#"# 1 "driver.c"
# 1 "<built-in>"
# 1 "driver.c"
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;
typedef int bool_t;
struct list_head {
   struct list_head *next ;
   struct list_head *prev ;
};
struct kref {
   int refcount ;
};
struct device;
struct file;
struct resource {
   unsigned long start ;
   unsigned long end ;
   char const   *name ;
   unsigned long flags ;
};
struct device {
   struct device *parent ;
   struct kref kref ;
   char const   *init_name ;
   void *driver_data ;
   int power_state ;
   struct resource resources[2] ;
};
struct file {
   unsigned int f_flags ;
   loff_t f_pos ;
   void *private_data ;
};
struct operations {
   char const   *name ;
   int (*open)(struct device * , struct file * ) ;
   int (*release)(struct device * , struct file * ) ;
   int (*ioctl)(struct file * , unsigned int  , int  ) ;
   int (*suspend)(struct device * ) ;
   int (*resume)(struct device * ) ;
};
struct setting {
   u32 offset ;
   u32 mask ;
   int value ;
};
typedef struct { int locked ; } raw_lock_t;
typedef union { char size[40] ; long align ; } pthread_mutex_t;
typedef unsigned long pthread_t;
typedef union { char size[56] ; long align ; } pthread_attr_t;
extern int pthread_create(pthread_t * , pthread_attr_t const   * , void *(*)(void * ) , void * ) ;
extern int pthread_join(pthread_t  , void ** ) ;
extern int pthread_mutex_init(pthread_mutex_t * , void const   * ) ;
extern int pthread_mutex_lock(pthread_mutex_t * ) ;
extern int pthread_mutex_unlock(pthread_mutex_t * ) ;
extern int printf(char const   *  , ...) ;
extern void reach_error(void) ;
extern int __VERIFIER_nondet_int(void) ;
extern unsigned int __VERIFIER_nondet_uint(void) ;
static struct list_head all_devices  =    {& all_devices, & all_devices};
static pthread_mutex_t big_lock ;
static int users ;
static int busy ;
__inline static void INIT_LIST_HEAD(struct list_head *list )
{
  {
  list->next = list;
  list->prev = list;
  return;
}
}
__inline static int list_empty(struct list_head  const  *head )
{ struct list_head *__cil_tmp2 ;
  {
  __cil_tmp2 = head->next;
  return ((unsigned long )((struct list_head  const  *)__cil_tmp2) == (unsigned long )head);
}
}
__inline static void __list_add(struct list_head *new , struct list_head *prev , struct list_head *next )
{
  {
  next->prev = new;
  new->next = next;
  new->prev = prev;
  prev->next = new;
  return;
}
}
"#;

/// One source file of the driver.
fn unit(out: &mut String, k: usize, numbers: &mut Numbers) {
    let _ = writeln!(
        out,
        "struct chip{k} {{\n   struct list_head list ;\n   struct device *dev ;\n   u32 cache[16] ;"
    );
    for f in 0..6 {
        let _ = writeln!(out, "   int field{f} ;");
    }
    let _ = writeln!(out, "   unsigned int flags : 4 ;\n   unsigned int ready : 1 ;\n   u8 name[16] ;\n}};");
    let _ = writeln!(
        out,
        "enum mode{k} {{\n    MODE{k}_OFF = 0,\n    MODE{k}_ON = 1,\n    MODE{k}_AUTO = 2\n}};"
    );
    let _ = writeln!(
        out,
        "static struct chip{k} chip{k} ;\nstatic int opened{k} ;\nstatic unsigned int calls{k} ;"
    );
    let _ = writeln!(out, "static struct setting const   settings{k}[8]  = {{");
    for s in 0..8 {
        let comma = if s == 7 { "" } else { "," };
        let (offset, mask) = (numbers.below(4096), numbers.below(256));
        let _ =
            writeln!(out, "        {{(u32 )0x{offset:x}, (u32 )0x{mask:x}, {}}}{comma}", numbers.below(100));
    }
    let _ = writeln!(out, "}};");
    for name in ["map", "unmap", "request", "write", "sync"] {
        let _ = writeln!(out, "extern int bus_{name}{k}(struct device *dev , u32 reg , u32 value ) ;");
    }
    // What nobody calls.
    for h in 0..3 {
        helper(out, k, h, numbers);
    }
    operations(out, k, numbers);
}

fn helper(out: &mut String, k: usize, h: usize, numbers: &mut Numbers) {
    let _ = writeln!(out, "static int chip{k}_helper{h}(struct chip{k} *chip , u32 value , int n )");
    let _ = writeln!(out, "{{ int i ;\n  int err ;\n  u32 old ;");
    for t in 3..9 {
        let _ = writeln!(out, "  unsigned int __cil_tmp{t} ;");
    }
    let _ =
        writeln!(out, "\n  {{\n  err = 0;\n  i = 0;\n  while (1) {{\n    while_continue: /* CIL Label */ ;");
    let _ = writeln!(out, "    if (! (i < n)) {{\n      goto while_break;\n    }}");
    let _ = writeln!(out, "    __cil_tmp3 = (unsigned int )(i & 15);\n    old = chip->cache[__cil_tmp3];");
    let _ = writeln!(out, "    __cil_tmp4 = old & (u32 )0x{:x};", numbers.below(0xffff));
    let _ = writeln!(
        out,
        "    __cil_tmp5 = value << (i & 7);\n    chip->cache[__cil_tmp3] = __cil_tmp4 | __cil_tmp5;"
    );
    let _ =
        writeln!(out, "    {{\n    err = bus_write{k}(chip->dev, (u32 )i, chip->cache[__cil_tmp3]);\n    }}");
    let _ = writeln!(
        out,
        "    if (err < 0) {{\n      goto fail;\n    }}\n    i ++;\n  }}\n  while_break: /* CIL Label */ ;"
    );
    let _ = writeln!(out, "  switch ((int )chip->field{}) {{", numbers.below(6));
    for c in 0..4 {
        let _ = writeln!(out, "  case {}:\n  chip->field{} = {};", c * 3, c, numbers.below(50));
        let _ = writeln!(out, "  __cil_tmp6 = (unsigned int )chip->field{c};\n  break;");
    }
    let _ = writeln!(out, "  default: ;\n  return (-22);\n  }}");
    let _ = writeln!(
        out,
        "  chip->ready = 1U;\n  return (0);\n  fail:\n  {{\n  printf(\"chip{k}: error %d\\n\", err);\n  }}"
    );
    let _ = writeln!(out, "  return (err);\n}}\n}}");
}

fn operations(out: &mut String, k: usize, numbers: &mut Numbers) {
    let _ = writeln!(
        out,
        "static int chip{k}_open(struct device *dev , struct file *file )\n{{ int __cil_tmp3 ;\n\n  {{\n  {{\n  \
         pthread_mutex_lock(& big_lock);\n  }}\n  if (opened{k} > 0) {{\n    {{\n    \
         pthread_mutex_unlock(& big_lock);\n    }}\n    return (-16);\n  }}\n  opened{k} = 1;\n  \
         __cil_tmp3 = chip{k}.field1;\n  chip{k}.field2 = __cil_tmp3;\n  file->private_data = (void *)(& chip{k});\n  {{\n  \
         pthread_mutex_unlock(& big_lock);\n  }}\n  return (0);\n}}\n}}"
    );
    let _ = writeln!(
        out,
        "static int chip{k}_release(struct device *dev , struct file *file )\n{{\n\n  {{\n  {{\n  \
         pthread_mutex_lock(& big_lock);\n  }}\n  if (opened{k} == 1) {{\n    opened{k} = 0;\n  }}\n  {{\n  \
         pthread_mutex_unlock(& big_lock);\n  }}\n  return (0);\n}}\n}}"
    );
    let _ = writeln!(
        out,
        "static int chip{k}_ioctl(struct file *file , unsigned int cmd , int arg )\n{{ struct chip{k} *chip ;\n  \
         void *__cil_tmp5 ;\n  int i ;\n\n  {{\n  __cil_tmp5 = file->private_data;\n  chip = (struct chip{k} *)__cil_tmp5;\n  \
         {{\n  pthread_mutex_lock(& big_lock);\n  }}\n  calls{k} ++;"
    );
    let _ = writeln!(out, "  if (cmd == {}U) {{\n    goto case_0;\n  }}", numbers.below(1000));
    for c in 1..6 {
        let _ = writeln!(out, "  if (cmd == {}U) {{\n    goto case_{c};\n  }}", 1000 + numbers.below(1000));
    }
    let _ = writeln!(out, "  goto switch_default;");
    for c in 0..6 {
        let _ = writeln!(
            out,
            "  case_{c}: /* CIL Label */\n  chip->field{c} = arg;\n  i = {};",
            numbers.below(8)
        );
        let _ = writeln!(
            out,
            "  chip->cache[i] = (u32 )settings{k}[i].value;\n  chip->flags = (unsigned int )({c} & 15);"
        );
        let _ = writeln!(out, "  goto switch_break;");
    }
    let _ = writeln!(
        out,
        "  switch_default: /* CIL Label */\n  chip->ready = 0U;\n  switch_break: /* CIL Label */ ;\n  {{\n  \
         pthread_mutex_unlock(& big_lock);\n  }}\n  return (0);\n}}\n}}"
    );
    for (name, value) in [("suspend", 0), ("resume", 1)] {
        let _ = writeln!(
            out,
            "static int chip{k}_{name}(struct device *dev )\n{{\n\n  {{\n  dev->power_state = {value};\n  \
             chip{k}.ready = {value}U;\n  return (0);\n}}\n}}"
        );
    }
    let _ = writeln!(
        out,
        "static struct operations const   chip{k}_ops  = \n     {{\"chip{k}\", & chip{k}_open, & chip{k}_release, \
         & chip{k}_ioctl, & chip{k}_suspend, & chip{k}_resume}};"
    );
}

/// All the units in one table, of which some are used.
fn table(out: &mut String, units: usize) {
    let _ = writeln!(out, "static struct operations const   *drivers[2]  = \n     {{& chip0_ops,");
    let _ = writeln!(out, "        & chip{}_ops}};", units - 1);
}

/// The part that uses it, and the property: one thread at a time switches the power.
fn tail(safe: bool) -> String {
    let locks = |call: &str| {
        if safe { format!("{{\n  pthread_mutex_{call}(& big_lock);\n  }}") } else { String::new() }
    };
    let (lock, unlock) = (locks("lock"), locks("unlock"));
    format!(
        r#"static struct device devices[2] ;
static void power(int on )
{{
  {{
  {lock}
  if (busy != 0) {{
    {{
    reach_error();
    }}
  }}
  busy = 1;
  if (on) {{
    users ++;
  }} else {{
    users --;
  }}
  busy = 0;
  {unlock}
  return;
}}
}}
static void *work(void *arg )
{{ struct file file ;
  struct device *dev ;
  struct operations const   *ops ;
  unsigned int which ;
  unsigned int cmd ;
  int value ;
  int err ;

  {{
  dev = (struct device *)arg;
  while (1) {{
    while_continue: /* CIL Label */ ;
    {{
    which = __VERIFIER_nondet_uint();
    cmd = __VERIFIER_nondet_uint();
    value = __VERIFIER_nondet_int();
    }}
    if (which > 1U) {{
      goto while_break;
    }}
    ops = drivers[which];
    {{
    err = (*(ops->open))(dev, & file);
    }}
    if (err == 0) {{
      {{
      power(1);
      (*(ops->ioctl))(& file, cmd, value);
      (*(ops->suspend))(dev);
      (*(ops->resume))(dev);
      (*(ops->release))(dev, & file);
      power(0);
      }}
    }}
  }}
  while_break: /* CIL Label */ ;
  return ((void *)0);
}}
}}
int main(void)
{{ pthread_t first ;
  pthread_t second ;

  {{
  {{
  pthread_mutex_init(& big_lock, (void const   *)0);
  INIT_LIST_HEAD(& all_devices);
  pthread_create(& first, (pthread_attr_t const   *)0, & work, (void *)(& devices[0]));
  pthread_create(& second, (pthread_attr_t const   *)0, & work, (void *)(& devices[1]));
  pthread_join(first, (void **)0);
  pthread_join(second, (void **)0);
  }}
  return (0);
}}
}}
"#
    )
}
