/* vc4sim.h around Python: each call is a method of vc4sim.gl.device.Device. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "vc4sim.h"

#define PUBLIC __attribute__((visibility("default")))

struct vc4sim {
    PyObject *device;
};

static vc4sim the_gpu;

static void fail(const char *what)
{
    fprintf(stderr, "vc4sim: %s\n", what);
    abort();
}

/* An error of the caller is one line; one of Python itself is shown with the place where it happened. */
static void fail_in_python(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *module = PyImport_ImportModule("vc4sim.problem");
    PyObject *bad = module ? PyObject_GetAttrString(module, "BadInput") : NULL;
    PyObject *text = bad && PyObject_IsInstance(value, bad) == 1 ? PyObject_Str(value) : NULL;
    if (text)
        fail(PyUnicode_AsUTF8(text));
    PyErr_Restore(type, value, trace);
    PyErr_Print();
    fail("this is a fault of the simulator");
}

/* Extension modules find the interpreter only among symbols that are global, and whoever loads this library may keep them local. */
static void start_python(void)
{
    if (Py_IsInitialized())
        return;
    if (!dlopen(PYTHON_LIBRARY, RTLD_NOW | RTLD_GLOBAL))
        fail(dlerror());
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    config.parse_argv = 0;
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, PYTHON);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.executable, PYTHON);
    if (!PyStatus_Exception(status))
        status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status))
        fail(status.err_msg);
    PyEval_SaveThread();
}

static uint32_t call(vc4sim *gpu, const char *method, const char *format, ...)
{
    PyGILState_STATE state = PyGILState_Ensure();
    va_list values;
    va_start(values, format);
    PyObject *arguments = Py_VaBuildValue(format, values);
    va_end(values);
    if (!gpu->device)
        fail("the GPU is closed");
    PyObject *function = PyObject_GetAttrString(gpu->device, method);
    PyObject *result = function && arguments ? PyObject_CallObject(function, arguments) : NULL;
    if (!result)
        fail_in_python();
    uint32_t word = result == Py_None ? 0 : (uint32_t)PyLong_AsUnsignedLongMask(result);
    Py_DECREF(result);
    Py_DECREF(function);
    Py_DECREF(arguments);
    PyGILState_Release(state);
    return word;
}

static void close_at_exit(void)
{
    if (the_gpu.device && Py_IsInitialized())
        vc4sim_close(&the_gpu);
}

PUBLIC vc4sim *vc4sim_open(void *memory, uint32_t size)
{
    static int will_close;
    if (the_gpu.device)
        fail("a process has one GPU");
    start_python();
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *module = PyImport_ImportModule("vc4sim.gl.device");
    PyObject *view = PyMemoryView_FromMemory(memory, size, PyBUF_WRITE);
    if (module && view)
        the_gpu.device = PyObject_CallMethod(module, "open_device", "O", view);
    if (!the_gpu.device)
        fail_in_python();
    Py_XDECREF(view);
    Py_XDECREF(module);
    PyGILState_Release(state);
    if (!will_close)
        will_close = !atexit(close_at_exit);
    return &the_gpu;
}

PUBLIC void vc4sim_close(vc4sim *gpu)
{
    call(gpu, "close", "()");
    PyGILState_STATE state = PyGILState_Ensure();
    Py_CLEAR(gpu->device);
    PyGILState_Release(state);
}

PUBLIC void vc4sim_reset(vc4sim *gpu)
{
    call(gpu, "reset", "()");
}

PUBLIC void vc4sim_write32(vc4sim *gpu, uint32_t offset, uint32_t word)
{
    call(gpu, "write", "(II)", offset, word);
}

PUBLIC uint32_t vc4sim_read32(vc4sim *gpu, uint32_t offset)
{
    return call(gpu, "read", "(I)", offset);
}

PUBLIC uint32_t vc4sim_run(vc4sim *gpu, uint64_t limit)
{
    return call(gpu, "run", "(K)", (unsigned long long)limit);
}
